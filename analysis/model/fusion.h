#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/model/bounds.h"

namespace benanza::analysis {

/// One call that does the work of several layers. `layers` are indices without duplicates.
struct Piece {
  std::vector<std::size_t> layers{};
  double seconds = 0;
};

/// A choice of calls that does every layer once: by one of the pieces, or alone.
struct Cover {
  /// Sum over the used pieces and over the layers that are done alone.
  double seconds = 0;
  /// Indices of the used pieces, ascending.
  std::vector<std::size_t> pieces{};
  /// True if no cover is cheaper. False only if the search was pruned.
  bool optimal = true;
};

/// Maximum number of partial covers that the search keeps at a time.
inline constexpr std::size_t most_partial_covers = 1U << 14U;

/// Returns the cheapest cover of the layers whose time is known; `seconds[layer]` is a layer's time
/// alone. This is weighted set packing, solved by dynamic programming: layers are decided in order,
/// a state is the set of later layers that are already taken, and only the cheapest of equal states
/// is kept. Where pieces overlap in chains and trees there are few states, and the result is
/// optimal. With more than `most` states at a time only the cheapest are kept, and the result may
/// be suboptimal. A piece is used only if that is cheaper than its layers alone, and only if all of
/// them have a time.
Cover cheapest_cover(std::span<const std::optional<double>> seconds, std::span<const Piece> pieces,
                     std::size_t most = most_partial_covers);

/// Returns the fastest admitted measurement of each fusion of `graph`, by the rules of layer_times.
/// LayerStatus is measured, unsupported or missing; the fallback precision is never used.
std::vector<LayerTime> fusion_times(const Graph& graph, const MeasurementSet& measurements,
                                    const MeasurementFilter& filter);
/// The same for one fusion.
LayerTime fusion_time(const Fusion& fusion, const MeasurementSet& measurements,
                      MeasurementFilter filter);

/// Seconds of a layer alone; 0 if it does not count (Movement), empty if it should and is unknown.
std::optional<double> seconds_alone(const LayerTime& time, Movement movement);
/// Sum over the fusion's layers; empty if one of them is unknown.
std::optional<double> seconds_apart(const Fusion& fusion, const std::vector<LayerTime>& layers,
                                    Movement movement);

/// Returns one piece per fusion. A piece has no layers if its fusion was not measured or is not
/// `allowed` (one per fusion; empty: all).
std::vector<Piece> fusion_pieces(const Graph& graph, const std::vector<LayerTime>& fusions,
                                 const std::vector<bool>& allowed = {});

/// Returns the cheapest way to do every layer once, alone or by one of `pieces`, by the rules of
/// fusion_cover().
Cover cover_of(const std::vector<LayerTime>& layers, const std::vector<Piece>& pieces,
               Movement movement);

/// Returns the cheapest way to do every layer of `graph` once, alone in `layers[i]` or as part of
/// one of the graph's fusions in `fusions[i]`; Cover::pieces are indices into graph.fusions.
/// `allowed` (one per fusion; empty: all) excludes fusions. Layers that do not count (Movement)
/// cost nothing alone. A layer whose own time is unknown is done by a fusion wherever possible: the
/// result is the cheapest of all covers that leave the fewest such layers. Cover::seconds excludes
/// the layers that remain.
Cover fusion_cover(const Graph& graph, const std::vector<LayerTime>& layers,
                   const std::vector<LayerTime>& fusions, Movement movement,
                   const std::vector<bool>& allowed = {});

/// Returns the fusions to use if layers run in parallel, as ascending indices into graph.fusions. A
/// fusion that joins two branches waits for both and may lengthen the critical path. A local search
/// starts from those of `cover`: it removes one such fusion on the path at a time, or replaces it
/// by another fusion of its layers, whichever shortens the path most, until nothing does. The path
/// is never longer than with `cover` or with the fusions `least`, but not necessarily the shortest.
/// A layer whose own time is unknown stays in a fusion if `cover` has it in one.
std::vector<std::size_t> parallel_fusions(const Graph& graph, const std::vector<LayerTime>& layers,
                                          const std::vector<LayerTime>& fusions, Movement movement,
                                          const Cover& cover,
                                          const std::vector<std::size_t>& least = {});

/// Returns the inputs of every layer, without those that would make a fusion wait for itself: one
/// of its layers may read something computed from just the shape of another one's result (as the
/// initial states of a recurrent layer are).
std::vector<std::vector<std::size_t>> inputs_without_loops(const Graph& graph);

/// A graph in which each of the used fusions (indices of disjoint ones) is one layer, in the place
/// of its last layer and named after its first and last; and the times of its layers.
struct FusedGraph {
  Graph graph{};
  std::vector<LayerTime> times{};
  /// Index in the fused graph, per layer of the original graph.
  std::vector<std::size_t> place{};
};
FusedGraph fused_graph(const Graph& graph, const std::vector<LayerTime>& layers,
                       const std::vector<LayerTime>& fusions, const std::vector<std::size_t>& used);

}  // namespace benanza::analysis
