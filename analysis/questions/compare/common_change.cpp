#include "analysis/questions/compare/common_change.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/model/spread.h"
#include "core/statistics/repetitions.h"

namespace benanza::analysis {
namespace {

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

std::string_view to_string(CommonVerdict verdict) {
  switch (verdict) {
    case CommonVerdict::none:
      return "none";
    case CommonVerdict::machine:
      return "machine";
    case CommonVerdict::cannot_tell:
      return "cannot tell";
    case CommonVerdict::slower:
      return "slower";
    case CommonVerdict::faster:
      return "faster";
  }
  return "";
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
