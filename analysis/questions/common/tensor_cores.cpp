#include "analysis/questions/tensor_cores.h"

#include <algorithm>

namespace benanza::analysis {
namespace {

/// True if one of the calls uses Tensor Cores, false if none does; empty where that is not known.
std::optional<bool> uses_tensor_cores(const LayerTime& time) {
  bool known = true;
  for (const Measurement* call : time.calls) {
    if (call->tensor_cores == true) return true;
    known = known && call->tensor_cores.has_value();
  }
  if (!known) return std::nullopt;
  return false;
}

}  // namespace

std::optional<double> TensorCoreRow::profit_seconds() const {
  if (!without_seconds || !with_seconds) return std::nullopt;
  return *without_seconds - *with_seconds;
}

std::optional<double> TensorCoreRow::own_profit_seconds() const {
  if (used != true || !idle_seconds || !with_seconds) return std::nullopt;
  return *idle_seconds - *with_seconds;
}

TensorCoreProfit tensor_core_profit(const Graph& graph, const MeasurementSet& measurements,
                                    const Choice& choice, Precision without, Movement movement) {
  TensorCoreProfit profit{.without = choice, .with = choice};
  profit.without.precision = without;
  profit.without.fallback.reset();
  profit.with.fallback = without;
  Choice idle = choice;
  idle.tensor_cores = false;
  idle.fallback.reset();
  profit.without_times = layer_times(graph, measurements, profit.without);
  profit.with_times = layer_times(graph, measurements, profit.with);
  const std::vector<LayerTime> idle_times = layer_times(graph, measurements, idle);
  profit.without_bounds = bounds(graph, profit.without_times, movement);
  profit.with_bounds = bounds(graph, profit.with_times, movement);
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    TensorCoreRow row;
    const LayerTime& with = profit.with_times[layer];
    if (is_counted(profit.without_times[layer], movement)) {
      row.without_seconds = profit.without_times[layer].seconds;
    }
    if (is_counted(with, movement)) {
      row.with_seconds = with.seconds;
      row.used = uses_tensor_cores(with);
      row.fallback = with.calls.front()->variant.precision != choice.precision;
    }
    if (is_counted(idle_times[layer], movement)) row.idle_seconds = idle_times[layer].seconds;
    profit.rows.push_back(row);
  }
  return profit;
}

}  // namespace benanza::analysis
