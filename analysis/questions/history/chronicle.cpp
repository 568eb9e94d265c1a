#include "analysis/questions/history/chronicle.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>

#include "core/statistics/repetitions.h"

namespace benanza::analysis {
namespace {

bool is_change(const Change& change) {
  return change.kind != ChangeKind::same && change.kind != ChangeKind::unknown;
}

/// A slower or faster time: what a later comparison could show again.
bool is_of_time(const Change& change) {
  return change.kind == ChangeKind::slower || change.kind == ChangeKind::faster;
}

/// A problem's ratios between neighbours beside what all calls have in common, as logarithms; empty
/// where there is none.
using Ratios = std::vector<std::optional<double>>;

/// Of one such ratio, by the differences between successive ones: a steady creep leaves them as
/// they are. A step or a bad night makes two or three of them large: those beyond four standard
/// deviations by their lower third are left out. The difference of two ratios has three times the
/// variance of one, since they share a run; its correlation with the next ones (-2/3 and 1/6) costs
/// half of the degrees of freedom.
std::optional<Uncertain> deviation_of(const Ratios& ratios) {
  constexpr double variances = 3;
  constexpr double correlation = 1 + 2 * (4.0 / 9 + 1.0 / 36);
  constexpr double most_deviations = 4;
  constexpr std::size_t least_differences = least_stations_of_scatter - 2;
  std::vector<double> differences;
  for (std::size_t i = 1; i < ratios.size(); ++i) {
    if (ratios[i - 1] && ratios[i]) differences.push_back(std::abs(*ratios[i] - *ratios[i - 1]));
  }
  if (differences.size() < least_differences) return std::nullopt;
  std::ranges::sort(differences);
  const std::size_t third = differences.size() / 3;
  // Blom's expected place of this value among the magnitudes of normal ones.
  const double place =
      (static_cast<double>(third) + 0.625) / (static_cast<double>(differences.size()) + 0.25);
  const double deviation =
      differences[third] / boost::math::quantile(boost::math::normal(), (1 + place) / 2);
  std::erase_if(differences, [&](double one) { return one > most_deviations * deviation; });
  const auto count = static_cast<double>(differences.size());
  const double squares =
      std::inner_product(differences.begin(), differences.end(), differences.begin(), 0.0);
  return Uncertain{.standard_error = std::sqrt(squares / count / variances),
                   .degrees = count / correlation};
}

/// What ratios scatter by from one run to the next. Moderated over all problems; empty for fewer
/// problems than that takes: the few degrees of freedom of a problem would leave no verdict. Where
/// problems differ too much for that, least_degrees are counted all the same; simulated series of
/// problems whose scatter differs by a factor of two to each side then still raise no more alarms
/// than false_alarm_level allows.
Scatters scatters_of(const std::vector<Changes>& neighbours) {
  constexpr double least_degrees = 10;
  std::map<std::string, Ratios, std::less<>> ratios;
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    for (const Change& change : neighbours[i].problems) {
      const auto ratio = change.beside_common ? change.beside_common : change.ratio();
      Ratios& own = ratios[change.key];
      own.resize(neighbours.size());
      if (ratio) own[i] = std::log(*ratio);
    }
  }
  std::vector<std::string> keys;
  std::vector<Uncertain> deviations;
  for (const auto& [key, own] : ratios) {
    if (const auto deviation = deviation_of(own)) {
      keys.push_back(key);
      deviations.push_back(*deviation);
    }
  }
  if (keys.size() < least_moderated) return {};
  moderate(deviations);
  Scatters scatters;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    scatters[keys[i]] = {.deviation = deviations[i].standard_error,
                         .degrees = std::max(least_degrees, deviations[i].degrees)};
  }
  return scatters;
}

double change_size(const Change& change) { return std::abs(std::log(*change.ratio())); }

/// Of one filter: remembers what was told, and finds what a station shows that is new.
class Teller {
 public:
  Teller(Precision precision, std::vector<ChangeEvent>& events)
      : precision_(precision), events_(events) {}

  void tell_step(std::size_t to, const Changes& changes) {
    for (const CommonChange& one : changes.common) {
      if (one.listed) add({.since = to - 1, .to = to, .precision = precision_, .common = one});
    }
    for (const Change& change : changes.problems) {
      if (!is_change(change) || change.with_common) continue;
      add({.since = to - 1, .to = to, .precision = precision_, .change = change});
    }
  }

  /// `changes`: station `to` compared with an earlier one than its neighbour. Keeps the largest of
  /// what is new until tell_creeps().
  void look_for_creeps(std::size_t since, std::size_t to, const Changes& changes) {
    for (const CommonChange& one : changes.common) {
      if (!one.listed || since < told(common_, one.backend)) continue;
      const auto held = common_creeps_.find(one.backend);
      if (held == common_creeps_.end() ||
          std::abs(one.change) > std::abs(held->second.common->change)) {
        common_creeps_[one.backend] = {
            .since = since, .to = to, .precision = precision_, .common = one};
      }
    }
    for (const Change& change : changes.problems) {
      if (!is_of_time(change) || change.with_common || since < told(problems_, change.key) ||
          since < told(common_, change.after->variant.backend)) {
        continue;
      }
      const auto held = creeps_.find(change.key);
      if (held == creeps_.end() || change_size(change) > change_size(*held->second.change)) {
        creeps_[change.key] = {.since = since, .to = to, .precision = precision_, .change = change};
      }
    }
  }
  void tell_creeps() {
    for (auto* found : {&common_creeps_, &creeps_}) {
      for (auto& [name, event] : *found) add(std::move(event));
      found->clear();
    }
  }

 private:
  using Places = std::map<std::string, std::size_t, std::less<>>;

  /// The last station where a change was told; 0 if there is none.
  static std::size_t told(const Places& places, const std::string& name) {
    const auto found = places.find(name);
    return found == places.end() ? 0 : found->second;
  }

  void add(ChangeEvent event) {
    if (event.common) common_[event.common->backend] = event.to;
    if (event.change && is_of_time(*event.change)) problems_[event.change->key] = event.to;
    events_.push_back(std::move(event));
  }

  Precision precision_;
  std::vector<ChangeEvent>& events_;
  Places common_;
  Places problems_;
  std::map<std::string, ChangeEvent> common_creeps_;
  std::map<std::string, ChangeEvent> creeps_;
};

class Comparisons {
 public:
  Comparisons(const std::vector<Station>& stations, const ChronicleOptions& options)
      : stations_(stations),
        options_(options),
        keep_residual_(keeping_residual(options.graphs)),
        window_(std::max<std::size_t>(1, options.window)) {
    std::size_t far = 0;
    for (std::size_t to = 1; to < stations.size(); ++to) far += to - 1 - first(to);
    const auto filters = static_cast<double>(std::max<std::size_t>(1, options.filters.size()));
    const double level = false_alarm_level / filters;
    const auto near = static_cast<double>(stations.size() - 1);
    near_level_ = (far > 0 ? level / 2 : level) / near;
    far_level_ = far > 0 ? level / 2 / static_cast<double>(far) : 0;
  }

  /// The first station of the window of `to`.
  std::size_t first(std::size_t to) const { return to < window_ ? 0 : to - window_; }

  std::vector<Changes> neighbours(const MeasurementFilter& filter, const Scatters& scatters) const {
    std::vector<Changes> all;
    for (std::size_t to = 1; to < stations_.size(); ++to) {
      all.push_back(compare(to - 1, to, filter, scatters, near_level_));
    }
    return all;
  }
  Changes far(std::size_t since, std::size_t to, const MeasurementFilter& filter,
              const Scatters& scatters) const {
    return compare(since, to, filter, scatters, far_level_);
  }

 private:
  Changes compare(std::size_t since, std::size_t to, const MeasurementFilter& filter,
                  const Scatters& scatters, double level) const {
    const Results& before = stations_[since].results;
    const Results& after = stations_[to].results;
    return changes(before.measurements, after.measurements, filter, options_.tolerance,
                   keep_residual_,
                   {.witnesses = witnesses(before, after),
                    .level = level,
                    .scatters = scatters,
                    .in_detail = false});
  }

  const std::vector<Station>& stations_;
  const ChronicleOptions& options_;
  std::set<std::string, std::less<>> keep_residual_;
  std::size_t window_;
  double near_level_ = 0;
  double far_level_ = 0;
};

}  // namespace

std::string station_name(const Station& station) {
  return std::filesystem::path(station.path).filename().string() + " (" + station.versions + ")";
}

bool ChangeEvent::is_worse() const {
  if (common) return common->is_worse();
  return change->kind == ChangeKind::slower || change->kind == ChangeKind::lost;
}

std::size_t Chronicle::creeps(Precision precision, std::size_t station) const {
  return static_cast<std::size_t>(std::ranges::count_if(events, [&](const ChangeEvent& event) {
    return event.precision == precision && event.to == station && event.is_creep();
  }));
}

std::size_t Chronicle::worse() const {
  return static_cast<std::size_t>(std::ranges::count_if(events, &ChangeEvent::is_worse));
}

Chronicle chronicle_of(const std::vector<Station>& stations, const ChronicleOptions& options) {
  const Comparisons comparisons(stations, options);
  Chronicle chronicle;
  for (const MeasurementFilter& filter : options.filters) {
    std::vector<Changes> neighbours = comparisons.neighbours(filter, {});
    const Scatters scatters = scatters_of(neighbours);
    if (!scatters.empty()) neighbours = comparisons.neighbours(filter, scatters);
    Teller teller(filter.precision, chronicle.events);
    for (std::size_t to = 1; to < stations.size(); ++to) {
      const Changes& step = neighbours[to - 1];
      teller.tell_step(to, step);
      for (std::size_t since = comparisons.first(to); since + 1 < to; ++since) {
        teller.look_for_creeps(since, to, comparisons.far(since, to, filter, scatters));
      }
      teller.tell_creeps();
      chronicle.steady += static_cast<std::size_t>(std::ranges::count_if(
          step.problems, [](const Change& change) { return !is_change(change); }));
    }
    chronicle.compared.push_back(std::move(neighbours));
  }
  std::ranges::stable_sort(chronicle.events, {}, &ChangeEvent::to);
  return chronicle;
}

}  // namespace benanza::analysis
