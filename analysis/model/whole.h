#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analysis/model/bounds.h"
#include "analysis/model/layer_time.h"

namespace benanza::analysis {

/// An operator of several layers (Fusion::whole), as one call and apart.
struct WholeOperator {
  /// Index into graph.fusions.
  std::size_t fusion = 0;
  /// Of the one call.
  LayerTime time{};
  /// Its layers one by one; empty where one of them has no time.
  std::optional<double> apart_seconds{};
  /// The one call is what counts.
  bool used = false;
};

struct OperatorTimes {
  /// Per layer of the graph.
  std::vector<LayerTime> layers{};
  /// Every operator of several layers.
  std::vector<WholeOperator> wholes{};
  /// Indices into graph.fusions of those used, ascending.
  std::vector<std::size_t> used() const;
};

/// layer_times(), with operators that the exporter took apart done by one call where that is
/// cheaper than their layers one by one, or where one of those has no time: of operators within
/// others, the cheapest choice (fusion_cover()). The last layer of such an operator has the call,
/// and `does` all of it; the others that need work are `part`. So the sum over the layers is that
/// of the calls, and a path through them is one through the call. `allowed` (one per fusion; empty:
/// all): others are left apart.
OperatorTimes operators_of(const Graph& graph, const MeasurementSet& measurements,
                           const MeasurementFilter& filter, Movement movement,
                           const std::vector<bool>& allowed = {});
/// OperatorTimes::layers.
std::vector<LayerTime> operator_times(const Graph& graph, const MeasurementSet& measurements,
                                      const MeasurementFilter& filter, Movement movement);

/// counted_seconds(), with the time of a call that does several layers shared among them: in
/// proportion to what they take alone, in equal parts where one of those is not known.
std::vector<double> shared_seconds(const std::vector<LayerTime>& times, Movement movement);

}  // namespace benanza::analysis
