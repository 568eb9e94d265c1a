#pragma once

#include <optional>
#include <vector>

#include "analysis/input/measurement.h"
#include "analysis/model/bounds.h"
#include "analysis/model/layer_time.h"
#include "analysis/model/selection.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// One layer with and without Tensor Cores. Seconds; empty where unknown.
struct TensorCoreRow {
  /// At the precision without: its fastest.
  std::optional<double> without_seconds{};
  /// At the precision with: its fastest, Tensor Cores or not.
  std::optional<double> with_seconds{};
  /// At the precision with: the fastest that is known not to use Tensor Cores.
  std::optional<double> idle_seconds{};
  /// Whether the fastest one at the precision with uses them; empty where that is not known.
  std::optional<bool> used{};
  /// The precision with does not support the layer: it is counted at the precision without.
  bool fallback = false;

  /// without - with. Negative where the layer gets slower.
  std::optional<double> profit_seconds() const;
  /// The part of the profit that is the Tensor Cores' own, not that of smaller numbers: idle -
  /// with.
  std::optional<double> own_profit_seconds() const;
};

struct TensorCoreProfit {
  MeasurementFilter without{};
  MeasurementFilter with{};
  /// One per layer of the graph; layers that do not count (Movement) have no seconds.
  std::vector<TensorCoreRow> rows{};
  /// The layers' times behind them.
  std::vector<LayerTime> without_times{};
  std::vector<LayerTime> with_times{};
  /// Layers that have a time at one of the precisions only: in neither bound.
  std::vector<std::size_t> left_out{};
  Bounds without_bounds{};
  Bounds with_bounds{};
};

/// LBL without Tensor Cores - LBL with them, layer by layer: `filter` at `without` (fp32 never uses
/// them) and at its own precision, layers it does not support at `without`.
TensorCoreProfit tensor_core_profit(const Graph& graph, const MeasurementSet& measurements,
                                    const MeasurementFilter& filter, Precision without,
                                    Movement movement);

}  // namespace benanza::analysis
