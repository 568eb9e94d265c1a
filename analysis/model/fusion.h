#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/model/bounds.h"
#include "analysis/model/cover.h"

namespace benanza::analysis {

/// One entry per fusion of `graph`: the fastest admitted measurement of its problem, by the rules
/// of layer_times. LayerStatus measured, unsupported or missing; never at a fallback precision.
std::vector<LayerTime> fusion_times(const Graph& graph, const MeasurementSet& measurements,
                                    const MeasurementFilter& filter);
/// Of one fusion.
LayerTime fusion_time(const Fusion& fusion, const MeasurementSet& measurements,
                      MeasurementFilter filter);

/// Seconds of a layer alone; 0 where it does not count, empty where it is unknown.
std::optional<double> seconds_alone(const LayerTime& time, Movement movement);
/// Sum over the fusion's layers; empty if one is unknown.
std::optional<double> seconds_apart(const Fusion& fusion, const std::vector<LayerTime>& layers,
                                    Movement movement);

/// One piece per fusion; without layers where it was not measured or is not `allowed` (one per
/// fusion; empty: all).
std::vector<Piece> fusion_pieces(const Graph& graph, const std::vector<LayerTime>& fusions,
                                 const std::vector<bool>& allowed = {});

/// The cheapest way to do every layer once, alone or by one of `pieces`, by the rules of
/// fusion_cover().
Cover cover_of(const std::vector<LayerTime>& layers, const std::vector<Piece>& pieces,
               Movement movement);

/// The cheapest way through `graph` with every layer done once, alone in `layers[i]` or in one of
/// the graph's fusions in `fusions[i]`: Cover::pieces are indices into graph.fusions. Other times
/// for layers and fusions give the cover for those. `allowed` (one per fusion;
/// empty: all) leaves fusions out. Layers that do not count (Movement) cost nothing alone. A layer
/// whose own time is unknown is done by a fusion wherever one can: of all covers that leave the
/// fewest such layers, the cheapest. Cover::seconds are without those that are left.
Cover fusion_cover(const Graph& graph, const std::vector<LayerTime>& layers,
                   const std::vector<LayerTime>& fusions, Movement movement,
                   const std::vector<bool>& allowed = {});

/// The fusions to use where layers run in parallel. One that joins two branches waits for both, and
/// may make the critical path longer than it is without. From those of `cover` on, one such fusion
/// on the path after the other is given up, or exchanged for another of its layers, whichever
/// shortens the path most, until nothing does. Never a longer path than the cover's or that with
/// the fusions `least`; that there is no shorter one is not said. A layer whose own time is unknown
/// stays in a fusion, if `cover` has it in one. Indices into graph.fusions, ascending.
std::vector<std::size_t> parallel_fusions(const Graph& graph, const std::vector<LayerTime>& layers,
                                          const std::vector<LayerTime>& fusions, Movement movement,
                                          const Cover& cover,
                                          const std::vector<std::size_t>& least = {});

/// The inputs of every layer, without those through which a fusion would wait for itself: a layer
/// of it may read what is computed from the mere shape of another one's result (the initial states
/// of a recurrent layer are).
std::vector<std::vector<std::size_t>> inputs_without_loops(const Graph& graph);

/// A graph with each of these fusions (indices of disjoint ones) as one layer, named after its
/// first and last layer, in the place of its last one; and the times of its layers.
struct FusedGraph {
  Graph graph{};
  std::vector<LayerTime> times{};
  /// Per layer of the graph that was fused: the layer that does it.
  std::vector<std::size_t> place{};
};
FusedGraph fused_graph(const Graph& graph, const std::vector<LayerTime>& layers,
                       const std::vector<LayerTime>& fusions, const std::vector<std::size_t>& used);

}  // namespace benanza::analysis
