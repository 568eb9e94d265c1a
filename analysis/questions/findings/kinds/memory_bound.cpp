// Calls that run at the memory's bandwidth.

#include <fmt/format.h>

#include "analysis/questions/findings/matter.h"
#include "analysis/render/text.h"

namespace benanza::analysis {
namespace {

std::vector<Finding> memory_bound(const Matter& matter) {
  // Of the peak bandwidth; below it, a better call may help.
  constexpr double at_peak = 0.6;
  // Of the bound; a smaller part is not what makes it slow.
  constexpr double least_part = 0.1;
  const BoundReport& bound = matter.bound();
  const Ladder& ladder = bound.ladder;
  EqualProblems series;
  for (std::size_t layer = 0; layer < bound.times.size(); ++layer) {
    if (!is_counted(bound.times[layer], bound.movement) || !ladder.layer_floor(layer)) continue;
    const bool by_memory = ladder.floor.layers[layer].is_by_memory();
    if (!by_memory || ladder.reaches(layer).value_or(0) < at_peak) continue;
    series.add({.layer = layer, .seconds = *bound.times[layer].seconds});
  }
  const double share = series.seconds() / bound.bounds.sequential.seconds;
  if (series.empty() || share < least_part) return {};
  const std::size_t count = series.layers().size();
  return {
      {.cause = "limited by memory",
       .what = fmt::format("{} {} ({}, {:.0f}% of the bound) {} at {:.0f}% or more of the memory's "
                           "bandwidth: no other call is much faster.",
                           count, count == 1 ? "layer" : "layers", milliseconds(series.seconds()),
                           share * 100, count == 1 ? "runs" : "run", at_peak * 100),
       .layers = series.layers(),
       .remedy = {"Move fewer bytes: smaller types, fused layers, larger batches where weights are "
                  "most of it.",
                  matter.ask("fusion")}}};
}

}  // namespace

FindingKind memory_bound_kind() { return {memory_bound}; }

}  // namespace benanza::analysis
