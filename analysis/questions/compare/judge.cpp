#include "analysis/questions/compare/judge.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <map>

#include "core/statistics/repetitions.h"

namespace benanza::analysis {
namespace {

/// From this share of times with company on, what a neighbour does cannot be told from a change: on
/// a processor that others use all the time, a call from memory took 2 to 8 ms by run.
constexpr double crowded_share = 0.2;

bool has_both(const Change& change) { return change.before != nullptr && change.after != nullptr; }

double log_of_ratio(const Change& change) { return std::log(*change.ratio()); }

void add_scatter(Uncertain& ratio, const Scatter& scatter) {
  if (scatter.deviation <= ratio.standard_error) return;
  ratio.standard_error = scatter.deviation;
  ratio.degrees = scatter.degrees;
}

/// What a ratio is held against; logarithms.
struct Yardstick {
  /// What the machine may have done.
  Interval machine{};
  /// What the calls of the backend have in common.
  const CommonChange* common = nullptr;
};

Yardstick yardstick_of(const Change& change, const std::vector<CommonChange>& all) {
  Yardstick yardstick;
  const std::string& old_backend = change.before->variant.backend;
  const std::string& new_backend = change.after->variant.backend;
  const CommonChange* const before = common_of(all, old_backend);
  const CommonChange* const after = common_of(all, new_backend);
  const auto range = [](const CommonChange* one) {
    return one != nullptr && one->reference
               ? Interval{one->reference->lower(), one->reference->upper()}
               : Interval{};
  };
  yardstick.machine = {std::min(range(before).low, range(after).low),
                       std::max(range(before).high, range(after).high)};
  if (before == after) {
    yardstick.machine = range(after);
    if (after != nullptr && after->is_common()) yardstick.common = after;
  }
  return yardstick;
}

/// How probable a change at least this far beyond the tolerance is if there is none.
struct Claims {
  double slower = 1;
  double faster = 1;
  /// Differs from the common change.
  double apart = 1;
};

class JudgedRow {
 public:
  JudgedRow(Change& change, const Yardstick& yardstick, double limit)
      : change_(&change), yardstick_(yardstick), limit_(limit), value_(log_of_ratio(change)) {
    const CommonChange* const common = yardstick.common;
    if (common != nullptr) change.beside_common = std::exp(value_ - common->change);
  }

  Change& change() const { return *change_; }

  /// Of the times alone, without regard to chance.
  bool looks_different() const {
    const Claims claims = claims_of([&](double distance) { return distance > 0 ? 0.0 : 1.0; });
    return std::min(claims.slower, claims.faster) == 0;
  }
  bool looks_apart() const {
    return yardstick_.common != nullptr && std::abs(value_ - yardstick_.common->change) > limit_;
  }
  Claims claims(const Uncertain& ratio) const {
    return claims_of([&](double distance) {
      // Within the limit, more than half: no claim.
      if (distance <= 0) return 1.0;
      return Uncertain{
          .value = distance, .standard_error = ratio.standard_error, .degrees = ratio.degrees}
          .probability_above(0);
    });
  }
  /// Marks whether the row goes with the listed common change of its backend.
  void compare_with_common(bool apart) {
    if (yardstick_.common == nullptr || !yardstick_.common->listed) return;
    change_->apart = apart;
    const bool changed =
        change_->kind == (yardstick_.common->change > 0 ? ChangeKind::slower : ChangeKind::faster);
    change_->with_common = changed && !apart;
  }

 private:
  /// `probability(distance)`: of a value that far beyond a limit.
  template <class Probability>
  Claims claims_of(const Probability& probability) const {
    const auto one_way = [&](double sign) {
      const double own =
          sign > 0 ? value_ - yardstick_.machine.high : yardstick_.machine.low - value_;
      const double absolute = probability(own - limit_);
      if (yardstick_.common == nullptr) return absolute;
      const double beside = sign * (value_ - yardstick_.common->change);
      const double both = std::max(probability(beside - limit_), probability(own - limit_ / 2));
      return std::min(1.0, 2 * std::min(absolute, both));
    };
    Claims claims{.slower = one_way(1), .faster = one_way(-1)};
    if (yardstick_.common != nullptr) {
      claims.apart = probability(std::abs(value_ - yardstick_.common->change) - limit_);
    }
    return claims;
  }

  Change* change_;
  Yardstick yardstick_;
  double limit_;
  double value_;
};

/// moderate(), without the ratios whose error is the usual one: those are equal already.
void moderate_measured(const std::vector<JudgedRow>& tested, std::vector<Uncertain>& ratios) {
  std::vector<Uncertain> measured;
  const auto is_measured = [&](std::size_t i) { return !is_of_one_process(tested[i].change()); };
  for (std::size_t i = 0; i < tested.size(); ++i) {
    if (is_measured(i)) measured.push_back(ratios[i]);
  }
  moderate(measured);
  auto next = measured.begin();
  for (std::size_t i = 0; i < tested.size(); ++i) {
    if (is_measured(i)) ratios[i] = *next++;
  }
}

/// Holm's correction of two-sided questions.
std::vector<double> adjusted(const std::vector<Claims>& all, double (*p)(const Claims&)) {
  std::vector<double> probabilities;
  for (const Claims& claims : all) probabilities.push_back(std::min(1.0, 2 * p(claims)));
  return holm_adjusted(probabilities);
}

}  // namespace

bool is_crowded(const Change& change) {
  return has_both(change) &&
         std::max(change.before->company(), change.after->company()) >= crowded_share;
}

ProcessSpread process_spread_in(const std::vector<Change>& calls) {
  std::vector<const Measurement*> measured;
  std::vector<double> log_ratios;
  for (const Change& call : calls) {
    if (!has_both(call)) continue;
    measured.insert(measured.end(), {call.before, call.after});
    log_ratios.push_back(log_of_ratio(call));
  }
  return process_spread(measured, log_ratios);
}

bool is_of_one_process(const Change& change) {
  return has_both(change) && (change.before->process_seconds().size() < 2 ||
                              change.after->process_seconds().size() < 2);
}

double told_from(const ProcessSpread& usual, std::size_t rows, double tolerance, double level) {
  const boost::math::students_t of_ratio(2 * usual.degrees);
  const double of_row = level / 2 / static_cast<double>(rows);
  const double errors = boost::math::quantile(boost::math::complement(of_ratio, of_row));
  return (1 + tolerance) * std::exp(errors * std::sqrt(2.0) * usual.deviation);
}

std::optional<Uncertain> log_ratio(const Change& change, const ProcessSpread& usual) {
  if (!has_both(change)) return std::nullopt;
  const auto before = log_time_of(*change.before, usual);
  const auto after = log_time_of(*change.after, usual);
  if (!before || !after) return std::nullopt;
  return difference(*after, *before);
}

std::vector<CommonChange> common_changes(const std::vector<Change>& calls, double tolerance,
                                         const Circumstances& circumstances) {
  const ProcessSpread usual = process_spread_in(calls);
  std::map<std::string, std::vector<CallChange>> of_backend;
  for (const Change& call : calls) {
    if (!has_both(call)) continue;
    const auto ratio = log_ratio(call, usual);
    of_backend[call.after->variant.backend].push_back(
        {.change = log_of_ratio(call),
         .error = ratio ? std::optional(ratio->standard_error) : std::nullopt,
         .run_deviation = std::hypot(run_deviation(*call.before), run_deviation(*call.after))});
  }
  std::vector<CommonChange> all;
  for (const auto& [backend, changes] : of_backend) {
    if (auto one = common_change(backend, changes, tolerance, circumstances.level)) {
      all.push_back(*std::move(one));
    }
  }
  return all;
}

void judge(std::vector<Change>& table, const std::vector<CommonChange>& common,
           const ProcessSpread& usual, double tolerance, const Circumstances& circumstances) {
  const double limit = std::log1p(tolerance);
  std::vector<JudgedRow> tested;
  std::vector<Uncertain> ratios;
  for (Change& change : table) {
    if (!has_both(change)) {
      change.kind = change.before == nullptr ? ChangeKind::gained : ChangeKind::lost;
      continue;
    }
    JudgedRow row(change, yardstick_of(change, common), limit);
    if (row.looks_different()) change.kind = ChangeKind::unknown;
    if (const std::optional<Uncertain> ratio = log_ratio(change, usual)) {
      tested.push_back(row);
      ratios.push_back(*ratio);
    } else {
      row.compare_with_common(row.looks_apart());
    }
  }
  moderate_measured(tested, ratios);
  std::vector<Claims> claims;
  for (std::size_t i = 0; i < tested.size(); ++i) {
    Change& change = tested[i].change();
    const auto scatter = circumstances.scatters.find(change.key);
    if (scatter != circumstances.scatters.end()) add_scatter(ratios[i], scatter->second);
    if (circumstances.in_detail) {
      const Interval interval = ratios[i].interval();
      change.spread = {std::exp(interval.low), std::exp(interval.high)};
    }
    claims.push_back(tested[i].claims(ratios[i]));
  }
  const std::vector<double> different =
      adjusted(claims, [](const Claims& one) { return std::min(one.slower, one.faster); });
  const std::vector<double> apart = adjusted(claims, [](const Claims& one) { return one.apart; });
  for (std::size_t i = 0; i < tested.size(); ++i) {
    if (different[i] <= circumstances.level && !is_crowded(tested[i].change())) {
      tested[i].change().kind =
          claims[i].slower < claims[i].faster ? ChangeKind::slower : ChangeKind::faster;
    }
    tested[i].compare_with_common(apart[i] <= circumstances.level);
  }
}

}  // namespace benanza::analysis
