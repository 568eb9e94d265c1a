#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analysis/model/bounds.h"
#include "analysis/model/layer_time.h"

namespace benanza::analysis {

/// An operator of several layers (Fusion::whole), as one call and as separate layers.
struct WholeChoice {
  /// Index into graph.fusions.
  std::size_t fusion = 0;
  /// Time of the one call.
  LayerTime time{};
  /// Time of its layers one by one; empty if one of them has no time.
  std::optional<double> apart_seconds{};
  /// True if the one call counts in the bound.
  bool used = false;
};

struct OperatorTimes {
  /// One per layer of the graph.
  std::vector<LayerTime> layers{};
  std::vector<WholeChoice> wholes{};
  /// Indices into graph.fusions of the used ones, ascending.
  std::vector<std::size_t> used() const;
};

/// Computes layer_times(), but an operator that the exporter split into several layers is done by
/// one call if that is cheaper than its layers one by one, or if one of them has no time. Of nested
/// operators, chooses the cheapest combination (fusion_cover()). The last layer of such an operator
/// has the call, and its `does` lists all layers; the others that are not free become `part`. So
/// the sum over the layers is the sum over the calls, and a path through the layers goes through
/// the call. Operators that are not `allowed` (one per fusion; empty: all) stay split.
OperatorTimes operators_of(const Graph& graph, const MeasurementSet& measurements,
                           const MeasurementFilter& filter, Movement movement,
                           const std::vector<bool>& allowed = {});
/// Returns the `layers` of operators_of().
std::vector<LayerTime> operator_times(const Graph& graph, const MeasurementSet& measurements,
                                      const MeasurementFilter& filter, Movement movement);

/// Like counted_seconds(), but the time of a call that does several layers is divided among them:
/// in proportion to their times alone, or equally if one of those is unknown.
std::vector<double> shared_seconds(const std::vector<LayerTime>& times, Movement movement);

}  // namespace benanza::analysis
