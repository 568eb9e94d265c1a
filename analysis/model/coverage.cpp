#include "analysis/model/coverage.h"

namespace benanza::analysis {

Assumed assumed(const Graph& graph, const std::vector<double>& counted) {
  Assumed sum;
  for (std::size_t index = 0; index < graph.layers.size(); ++index) {
    const Layer& layer = graph.layers[index];
    if (layer.assumed.empty() || counted[index] <= 0) continue;
    if (sum.layers++ == 0) sum.first = layer.assumed;
    sum.seconds += counted[index];
  }
  return sum;
}

Coverage coverage(const Graph& graph, const std::vector<LayerTime>& times, Precision precision) {
  Coverage coverage;
  for (std::size_t index = 0; index < graph.layers.size(); ++index) {
    const LayerTime& time = times[index];
    Tally& tally = coverage.tallies[static_cast<std::size_t>(time.standing)];
    ++tally.layers;
    // A free layer does no arithmetic at inference, by definition.
    const std::optional<double> flops =
        time.standing == Standing::free ? std::optional(0.0) : graph.layers[index].flops;
    tally.flops = tally.flops && flops ? std::optional(*tally.flops + *flops) : std::nullopt;
    if (time.standing == Standing::measured && time.calls.front()->variant.precision != precision) {
      ++coverage.at_fallback;
    }
  }
  return coverage;
}

}  // namespace benanza::analysis
