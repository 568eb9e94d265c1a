#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bounds/bound.h"
#include "bounds/cover.h"

namespace benanza {

/// One entry per fusion of `graph`: the fastest admitted measurement of its problem, by the rules
/// of layer_times. Standing measured, unsupported or missing; never at a fallback precision.
std::vector<LayerTime> fusion_times(const Graph& graph, const MeasurementSet& measurements,
                                    Choice choice);

/// The cheapest way through `graph` with every layer done once, alone in `layers[i]` or in one of
/// the graph's fusions in `fusions[i]`: Cover::pieces are indices into graph.fusions. Whoever
/// chooses other times for layers and fusions gets the cover for those. `allowed` (one per fusion;
/// empty: all) leaves fusions out. A fusion with a layer whose own time is unknown is left out,
/// too: what it saves is not known. Layers that do not count (Movement) cost nothing alone.
Cover fusion_cover(const Graph& graph, const std::vector<LayerTime>& layers,
                   const std::vector<LayerTime>& fusions, Movement movement,
                   const std::vector<bool>& allowed = {});

/// A graph with every fusion of `cover` as one layer, named after its first and last layer, in the
/// place of its last one; and the times of its layers. What bounds() says of it is the bound of the
/// cover: the least sequential one, while the parallel one may be less with another cover.
struct FusedGraph {
  Graph graph{};
  std::vector<LayerTime> times{};
};
FusedGraph fused_graph(const Graph& graph, const std::vector<LayerTime>& layers,
                       const std::vector<LayerTime>& fusions, const Cover& cover);

}  // namespace benanza
