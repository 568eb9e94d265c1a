#pragma once

#include <map>
#include <optional>

#include "analysis/input/measurement.h"
#include "analysis/input/results.h"
#include "analysis/model/selection.h"
#include "core/graph_file/graph.h"
#include "core/problem/precision.h"

namespace benanza::analysis {

/// The highest measured rates of the device, from the results' contexts; empty if those lack them.
/// Arithmetic: or that of a matrix product or convolution in the results that is up to 10% faster.
struct DeviceRates {
  /// At the precision of the run.
  std::optional<double> flops_per_second{};
  /// At others, which layers may have of their own (Layer::precision).
  std::map<Precision, double> flops_per_second_at{};
  std::optional<double> bytes_per_second{};
  /// The largest cache: bytes that may stay there between runs do not count as moved.
  std::optional<double> cache_bytes{};
  /// Weights of more bytes than this come from memory in every run. GPUs: 0.9 times the L2 cache,
  /// as measured on an H200: products that read 57 MB of weights in turn (L2: 63 MB) take as long
  /// as with 302 MB. Processors: twice the cache.
  std::optional<double> most_kept_bytes{};
};
/// Returns the largest rates of the backends that `filter` admits, at its precision.
DeviceRates device_rates(const Results& results, const MeasurementFilter& filter);

/// With the rate of arithmetic for a layer at `own` in a run at `asked`: the faster of both, since
/// layers also run at more bits than they need; unknown if that of fewer bits is.
DeviceRates rates_of_layer(const DeviceRates& rates, Precision own, Precision asked);

/// Bytes of the model's weights, floats at `precision`; empty if the graph does not say.
std::optional<double> weight_bytes(const Graph& graph, Precision precision);

/// True if none of the model's weights stays in the cache until it is read again
/// (DeviceRates::most_kept_bytes). False if either is unknown.
bool weights_come_from_memory(const Graph& graph, Precision precision,
                              std::optional<double> most_kept_bytes);

/// The measurements with the times of calls whose weights come from memory
/// (Measurement::rotating_seconds), where they are known. Where another call of the same problem
/// and precision has such a time, calls without one are left out if they would seem faster. Empty
/// if no call has such a time.
std::optional<MeasurementSet> with_weights_from_memory(const MeasurementSet& measurements);

/// The measurements for a model at the filter's precision: `from_memory`, which is
/// with_weights_from_memory() of the results, if it is there and the model's weights do not fit the
/// cache, unless the filter asks for the cache.
const MeasurementSet& measurements_of(const Graph& graph, const MeasurementFilter& filter,
                                      const Results& results,
                                      const std::optional<MeasurementSet>& from_memory);

}  // namespace benanza::analysis
