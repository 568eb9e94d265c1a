#include "analysis/questions/compare/common_change.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <vector>

#include "analysis/model/spread.h"
#include "core/statistics/repetitions.h"

namespace benanza::analysis {
namespace {

/// A reference that has to cover several witnesses.
class Hull {
 public:
  void add(std::string name, Interval change) {
    if (names_.empty()) change_ = change;
    change_ = {std::min(change_.low, change.low), std::max(change_.high, change.high)};
    names_.push_back(std::move(name));
  }
  std::optional<Reference> reference(const std::string& kind, bool weak) const {
    if (names_.empty()) return std::nullopt;
    return Reference{.name = fmt::format("{} ({})", kind, fmt::join(names_, ", ")),
                     .change = change_,
                     .weak = weak};
  }

 private:
  std::vector<std::string> names_;
  Interval change_{};
};

std::optional<Reference> by_anchors(const AnchorTimes& before, const AnchorTimes& after) {
  Hull hull;
  for (const auto& [name, seconds] : before) {
    const auto now = after.find(name);
    if (now == after.end()) continue;
    const auto old_time = log_time(seconds);
    const auto new_time = log_time(now->second);
    if (!old_time || !new_time) continue;
    const Uncertain change = difference(*new_time, *old_time);
    const Interval interval = interval_at(change, reference_level);
    hull.add(name, {interval.low - process_error, interval.high + process_error});
  }
  return hull.reference("the anchors", false);
}

/// Peaks are rates: a machine that takes twice as long has half of them.
std::optional<Reference> by_peaks(const PeakValues& before, const PeakValues& after) {
  constexpr std::string_view prefix = "peak_";
  constexpr std::string_view suffix = "_per_second";
  Hull hull;
  for (const auto& [name, rate] : before) {
    const auto now = after.find(name);
    if (!name.starts_with(prefix) || now == after.end() || !(rate > 0) || !(now->second > 0)) {
      continue;
    }
    std::string shown = name.substr(prefix.size());
    if (shown.ends_with(suffix)) shown.resize(shown.size() - suffix.size());
    const double change = std::log(rate / now->second);
    hull.add(std::move(shown), {change - peak_error, change + peak_error});
  }
  return hull.reference("the measured peaks", true);
}

/// The fields that speak of the library, "cudnn" or "onednn_version", rather than of the machine.
bool is_of_library(const std::string& field, const std::string& backend) {
  return field.starts_with(backend);
}

template <class Value>
Value value_or_none(const std::map<std::string, Value>& map, const std::string& key) {
  const auto found = map.find(key);
  return found == map.end() ? Value{} : found->second;
}

std::string which_calls(const CommonChange& common) {
  return common.agreeing == common.calls
             ? fmt::format("all {} calls of {}", common.calls, common.backend)
             : fmt::format("{} of {} calls of {} together", common.agreeing, common.calls,
                           common.backend);
}

std::string range_text(const Interval& change) {
  return fmt::format("{:.3f} to {:.3f}", std::exp(change.low), std::exp(change.high));
}

}  // namespace

double Reference::upper() const { return weak ? std::max(0.0, change.high) : change.high; }
double Reference::lower() const { return weak ? std::min(0.0, change.low) : change.low; }

Interval interval_at(const Uncertain& value, double level) {
  if (value.standard_error == 0) return {value.value, value.value};
  const boost::math::students_t distribution(value.degrees);
  const double error = value.standard_error *
                       boost::math::quantile(boost::math::complement(distribution, level / 2));
  return {value.value - error, value.value + error};
}

Witnesses witnesses(const Results& before, const Results& after) {
  Witnesses found;
  for (const auto& [backend, system] : before.systems) {
    const auto now = after.systems.find(backend);
    if (now == after.systems.end()) continue;
    std::string differences;
    bool changed = false;
    for (const auto& [field, old_value, new_value] : contradictions(system, now->second)) {
      if (is_of_library(field, backend)) {
        changed = true;
        continue;
      }
      differences += fmt::format("{}{} {}, now {}", differences.empty() ? "" : "; ", field,
                                 *old_value, *new_value);
    }
    const bool stated = std::ranges::any_of(
        system, [&](const auto& entry) { return is_of_library(entry.first, backend); });
    if (changed) {
      found.changed.insert(backend);
    } else if (stated) {
      found.unchanged.insert(backend);
    }
    if (!differences.empty()) {
      found.other_machine[backend] = differences;
      continue;
    }
    auto reference =
        by_anchors(value_or_none(before.anchors, backend), value_or_none(after.anchors, backend));
    if (!reference) {
      reference =
          by_peaks(value_or_none(before.peaks, backend), value_or_none(after.peaks, backend));
    }
    if (reference) found.references[backend] = *std::move(reference);
  }
  return found;
}

std::string_view to_string(CommonVerdict verdict) {
  constexpr std::string_view names[] = {"none", "machine", "cannot tell", "slower", "faster"};
  return names[static_cast<std::size_t>(verdict)];
}

std::optional<CommonChange> common_change(const std::string& backend,
                                          std::span<const CallChange> calls, double tolerance,
                                          double level) {
  if (calls.size() < least_calls_of_drift) return std::nullopt;
  std::vector<double> changes;
  for (const CallChange& call : calls) changes.push_back(call.change);
  const double centre = median(changes);
  // Some calls may have changed on their own: the others tell what they have in common.
  constexpr double errors = 3;
  std::vector<double> agreeing;
  for (const CallChange& call : calls) {
    const double allowed = std::max(std::log1p(tolerance), errors * call.error.value_or(0));
    if (std::abs(call.change - centre) <= allowed) agreeing.push_back(call.change);
  }
  RepetitionSum sum;
  sum.add(agreeing);
  std::optional<Uncertain> estimate = sum.estimate();
  if (!estimate) return std::nullopt;
  double deviation = 0;
  for (const CallChange& call : calls) deviation += call.run_deviation;
  *estimate = with_deviation(*estimate, deviation / static_cast<double>(calls.size()));
  return CommonChange{.backend = backend,
                      .calls = calls.size(),
                      .agreeing = agreeing.size(),
                      .change = estimate->value,
                      .interval = interval_at(*estimate, level / 10)};
}

void judge_common(CommonChange& common, double tolerance) {
  common.verdict = CommonVerdict::none;
  common.listed = false;
  if (!common.is_common()) return;
  const double limit = std::log1p(tolerance);
  const double half = limit / 2;
  const Interval& own = common.interval;
  const double upper = common.reference ? common.reference->upper() : 0;
  const double lower = common.reference ? common.reference->lower() : 0;
  const bool above = own.low - upper > half;
  const bool below = lower - own.high > half;
  if (common.reference && (above || below)) {
    common.verdict = above ? CommonVerdict::slower : CommonVerdict::faster;
    common.listed = true;
    return;
  }
  const bool moved = own.low > half || own.high < -half;
  if (!moved) return;
  const bool sharp =
      common.reference && common.reference->change.high - common.reference->change.low <= limit;
  common.verdict = sharp ? CommonVerdict::machine : CommonVerdict::cannot_tell;
  common.listed = !sharp && (own.low > limit || own.high < -limit);
}

const CommonChange* common_of(const std::vector<CommonChange>& all, std::string_view backend) {
  const auto found = std::ranges::find(all, backend, &CommonChange::backend);
  return found == all.end() ? nullptr : &*found;
}

std::string common_text(const CommonChange& common) {
  std::string text = fmt::format("{} take {:.3f} times as long ({})", which_calls(common),
                                 common.ratio(), range_text(common.interval));
  if (common.reference) {
    const Reference& reference = *common.reference;
    const std::string told = fmt::format("{}: {}", reference.name, range_text(reference.change));
    switch (common.verdict) {
      case CommonVerdict::none:
        return text + "; " + told;
      case CommonVerdict::machine:
        return text + ", as the machine did by " + told + "; slower and faster are relative to it";
      case CommonVerdict::cannot_tell:
        return text + "; " + told +
               ", which does not tell whether the library or the machine changed: measure both in "
               "turns with benanza-regress";
      case CommonVerdict::slower:
      case CommonVerdict::faster:
        return text + ", not so the machine by " + told + "; " + common.backend + " is " +
               std::string(to_string(common.verdict));
    }
  }
  if (common.verdict == CommonVerdict::none) return text;
  if (!common.other_machine.empty()) {
    return text + "; the systems differ: " + common.other_machine;
  }
  return text + "; nothing in these results tells whether the library" +
         (common.same_version ? ", whose version is the same," : "") +
         " or the machine changed: measure both in turns with benanza-regress, or keep anchors";
}

}  // namespace benanza::analysis
