#pragma once

#include <optional>

#include "analysis/input/measurement.h"
#include "analysis/input/results.h"
#include "analysis/model/selection.h"
#include "core/graph_file/graph.h"
#include "core/problem/precision.h"

namespace benanza::analysis {

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
