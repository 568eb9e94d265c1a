// Branches that could run at the same time.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analysis/questions/findings/matter.h"
#include "analysis/render/text.h"
#include "core/statistics/summary.h"

namespace benanza::analysis {
namespace {

/// The run of a plan that was timed in branches as well, of those with calls of several layers if
/// there is one; null without one.
const PlanRun* run_in_branches(const BoundReport& bound) {
  const PlanRun* found = nullptr;
  for (const PlanRun* const run : bound.plans) {
    if (run->branch_seconds.empty()) continue;
    if (found == nullptr || (run->fused && !found->fused)) found = run;
  }
  return found;
}

/// What a plan gains that runs steps at the same time.
std::vector<Finding> timed_branches(const PlanRun& run, std::vector<std::size_t> beside,
                                    Remedy remedy) {
  const double before = typical(run.seconds);
  const double after = typical(run.branch_seconds);
  const auto [least_before, most_before] = std::ranges::minmax(run.seconds);
  const auto [least_after, most_after] = std::ranges::minmax(run.branch_seconds);
  return {{.cause = "serialized branches",
           .what = fmt::format("A plan of the bound's calls takes {} with its steps in order, and "
                               "{} with independent steps in parallel.",
                               milliseconds(before), milliseconds(after)),
           .layers = std::move(beside),
           .gain_seconds = before - after,
           .interval = Interval{least_before - most_after, most_before - least_after},
           .certainty = Certainty::timed,
           .affects = Affects::device,
           .reference = Baseline{.name = "the plan", .seconds = before},
           .leads_to_seconds = after,
           .remedy = std::move(remedy)}};
}

std::vector<Finding> parallel_branches(const Matter& matter) {
  const BoundReport& bound = matter.bound();
  const Bound& sequential = bound.bounds.sequential;
  const Bound& parallel = bound.bounds.parallel;
  const std::vector<double> counted = counted_seconds(bound.times, bound.movement);
  std::vector<std::size_t> beside;
  for (std::size_t layer = 0; layer < counted.size(); ++layer) {
    if (counted[layer] > 0 &&
        std::ranges::find(bound.bounds.path, layer) == bound.bounds.path.end()) {
      beside.push_back(layer);
    }
  }
  if (beside.empty()) return {};
  if (const PlanRun* const run = run_in_branches(bound)) {
    return timed_branches(*run, std::move(beside), remedy_for_branches(matter));
  }
  // A call has all processors already; with fewer, both branches take longer.
  if (!matter.is_of_gpu()) return {};
  return {{.cause = "serialized branches",
           .what = fmt::format("{} layers are off the critical path, which takes {} of {}: if each "
                               "had the device to itself, they would cost nothing.",
                               beside.size(), milliseconds(parallel.seconds),
                               milliseconds(sequential.seconds)),
           .layers = beside,
           .gain_seconds = sequential.seconds - parallel.seconds,
           .interval = difference_interval(sequential.seconds, sequential.spread, parallel.seconds,
                                           parallel.spread),
           .certainty = Certainty::at_most,
           .affects = Affects::device,
           .leads_to_seconds = parallel.seconds,
           .remedy = remedy_for_branches(matter)}};
}

}  // namespace

FindingKind parallel_branches_kind() { return {parallel_branches}; }

}  // namespace benanza::analysis
