#include "analysis/profile_match/fused.h"

#include <algorithm>

namespace benanza::analysis {

std::vector<bool> fused_by_framework(const Graph& graph, const Mapping& mapping) {
  std::vector<bool> fused;
  for (const Fusion& fusion : graph.fusions) {
    const auto node = mapping.node_of_layer[fusion.layers.front()];
    const auto is_there = [&](std::size_t layer) { return mapping.node_of_layer[layer] == node; };
    fused.push_back(fusion.layers.size() > 1 && node &&
                    std::ranges::all_of(fusion.layers, is_there));
  }
  return fused;
}

}  // namespace benanza::analysis
