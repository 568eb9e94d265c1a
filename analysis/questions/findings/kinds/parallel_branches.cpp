// Branches that could run at the same time.

#include <fmt/format.h>

#include <algorithm>

#include "analysis/questions/findings/matter.h"
#include "analysis/questions/findings/remedies.h"
#include "analysis/questions/findings/saved_calls.h"
#include "analysis/render/text.h"

namespace benanza::analysis {
namespace {

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
  Remedy remedy = remedy_for_branches(matter);
  return {{.cause = "branches one after the other",
           .what = fmt::format("{} layers are off the longest path, which takes {} of {}: if each "
                               "could have the whole device, they would cost nothing.",
                               beside.size(), milliseconds(parallel.seconds),
                               milliseconds(sequential.seconds)),
           .layers = beside,
           .gain_seconds = sequential.seconds - parallel.seconds,
           .interval = difference_interval(sequential.seconds, sequential.spread, parallel.seconds,
                                           parallel.spread),
           .certainty = Certainty::at_most,
           .affects = Affects::device,
           .leads_to_seconds = parallel.seconds,
           .action = std::move(remedy.action),
           .command = std::move(remedy.command)}};
}

}  // namespace

FindingKind parallel_branches_kind() { return {parallel_branches}; }

}  // namespace benanza::analysis
