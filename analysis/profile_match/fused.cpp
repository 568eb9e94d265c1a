#include "analysis/profile_match/fused.h"

namespace benanza::analysis {

std::set<std::optional<std::size_t>> nodes_of(const Fusion& fusion, const Graph& graph,
                                              const Mapping& mapping) {
  std::set<std::optional<std::size_t>> nodes;
  for (const std::size_t layer : fusion.layers) {
    const Cost cost = graph.layers[layer].cost;
    const auto& node = mapping.node_of_layer[layer];
    if (cost == Cost::free || (cost == Cost::movement && !node)) continue;
    nodes.insert(node);
  }
  return nodes;
}

std::vector<bool> fused_by_framework(const Graph& graph, const Mapping& mapping) {
  std::vector<bool> fused;
  for (const Fusion& fusion : graph.fusions) {
    const auto nodes = nodes_of(fusion, graph, mapping);
    fused.push_back(fusion.layers.size() > 1 && nodes.size() == 1 && nodes.begin()->has_value());
  }
  return fused;
}

}  // namespace benanza::analysis
