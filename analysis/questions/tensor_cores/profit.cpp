#include "analysis/questions/tensor_cores/profit.h"

#include <array>

#include "analysis/model/whole.h"

namespace benanza::analysis {
namespace {

/// True if one of the calls uses Tensor Cores, false if none does; empty if unknown.
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
                                    const MeasurementFilter& filter, Precision without,
                                    Movement movement) {
  TensorCoreProfit profit{.without = filter, .with = filter};
  profit.without.precision = without;
  profit.without.fallback.reset();
  profit.with.fallback = without;
  MeasurementFilter idle = filter;
  idle.tensor_cores = false;
  idle.fallback.reset();
  profit.without_times = operator_times(graph, measurements, profit.without, movement);
  profit.with_times = operator_times(graph, measurements, profit.with, movement);
  const std::vector<LayerTime> idle_times = operator_times(graph, measurements, idle, movement);
  const std::array both{profit.without_times, profit.with_times};
  profit.left_out = one_sided_layers(both, movement);
  const auto bounds_of = [&](std::vector<LayerTime> times) {
    leave_out(times, profit.left_out);
    return bounds(graph, times, movement);
  };
  profit.without_bounds = bounds_of(profit.without_times);
  profit.with_bounds = bounds_of(profit.with_times);
  // An operator may be one call at one precision and several at the other.
  const auto seconds_by_layer = [&](const std::vector<LayerTime>& times) {
    const std::vector<double> shared = shared_seconds(times, movement);
    std::vector<std::optional<double>> seconds(times.size());
    for (std::size_t layer = 0; layer < times.size(); ++layer) {
      if (times[layer].status == LayerStatus::part || is_counted(times[layer], movement)) {
        seconds[layer] = shared[layer];
      }
    }
    return seconds;
  };
  const auto before = seconds_by_layer(profit.without_times);
  const auto after = seconds_by_layer(profit.with_times);
  const auto idle_seconds = seconds_by_layer(idle_times);
  std::vector<const LayerTime*> call_of_layer;
  for (const LayerTime& time : profit.with_times) call_of_layer.push_back(&time);
  for (const LayerTime& time : profit.with_times) {
    for (const std::size_t layer : time.does) call_of_layer[layer] = &time;
  }
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    TensorCoreRow row{.without_seconds = before[layer],
                      .with_seconds = after[layer],
                      .idle_seconds = idle_seconds[layer]};
    if (row.with_seconds) {
      const LayerTime& call = *call_of_layer[layer];
      row.used = uses_tensor_cores(call);
      row.fallback = call.calls.front()->variant.precision != filter.precision;
    }
    profit.rows.push_back(row);
  }
  return profit;
}

}  // namespace benanza::analysis
