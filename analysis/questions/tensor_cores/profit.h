#pragma once

#include <optional>
#include <vector>

#include "analysis/input/measurement.h"
#include "analysis/model/bounds.h"
#include "analysis/model/layer_time.h"
#include "analysis/model/selection.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// One layer with and without Tensor Cores, in seconds; unknown values are empty.
struct TensorCoreRow {
  /// The fastest call at the precision without Tensor Cores.
  std::optional<double> without_seconds{};
  /// The fastest call at the precision with Tensor Cores, used or not.
  std::optional<double> with_seconds{};
  /// The fastest call at the precision with Tensor Cores that is known not to use them.
  std::optional<double> idle_seconds{};
  /// Whether the call of `with_seconds` uses Tensor Cores; empty if unknown.
  std::optional<bool> used{};
  /// The precision with Tensor Cores does not support the layer, so it is counted at the other one.
  bool fallback = false;

  /// without - with. Negative if the layer gets slower.
  std::optional<double> profit_seconds() const;
  /// The part of the profit due to the Tensor Cores themselves, not to smaller numbers: idle -
  /// with.
  std::optional<double> own_profit_seconds() const;
};

struct TensorCoreProfit {
  MeasurementFilter without{};
  MeasurementFilter with{};
  /// One per layer of the graph; layers that do not count (Movement) have no seconds.
  std::vector<TensorCoreRow> rows{};
  /// The layers' times, source of the rows.
  std::vector<LayerTime> without_times{};
  std::vector<LayerTime> with_times{};
  /// Layers that have a time at only one of the precisions: left out of both bounds.
  std::vector<std::size_t> left_out{};
  Bounds without_bounds{};
  Bounds with_bounds{};
};

/// LBL without Tensor Cores minus LBL with them, layer by layer: `filter` at `without` (fp32 never
/// uses them) and at its own precision, falling back to `without`.
TensorCoreProfit tensor_core_profit(const Graph& graph, const MeasurementSet& measurements,
                                    const MeasurementFilter& filter, Precision without,
                                    Movement movement);

}  // namespace benanza::analysis
