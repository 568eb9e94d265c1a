#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/input/results.h"
#include "analysis/model/layer_time.h"
#include "analysis/model/selection.h"
#include "core/graph_file/graph.h"
#include "core/problem/least_work.h"

/// What no software can beat on a device: its measured peaks, and the least that a problem or a
/// model asks of them.
namespace benanza::analysis {

/// The most that the device has been seen to do, by the results' contexts. Empty where they do not
/// tell.
struct DeviceRates {
  std::optional<double> flops_per_second{};
  std::optional<double> bytes_per_second{};
  /// The largest cache: what may stay there from run to run is not counted as moved.
  std::optional<double> cache_bytes{};
};
/// The largest of the backends that `filter` admits, at its precision.
DeviceRates device_rates(const Results& results, const MeasurementFilter& filter);

/// The least time for some work. Empty where a rate or the work is not known.
struct Floor {
  double flops = 0;
  std::optional<double> bytes{};
  std::optional<double> arithmetic_seconds{};
  std::optional<double> memory_seconds{};

  /// The larger of the two; where one is unknown, the other: still nothing can be faster.
  std::optional<double> seconds() const;
  bool is_by_memory() const { return memory_seconds && seconds() == memory_seconds; }
};

/// Arithmetic at the peak. Bytes at the peak, less what the cache holds: at the end of a run it has
/// as many bytes as fit, each of which saves one read of the next run or one write of this one.
/// With cold caches it saves no reads.
Floor floor_of(double flops, double read_bytes, double bytes, const DeviceRates& rates, bool cold);

struct ModelFloor {
  DeviceRates rates{};
  /// Of the model: arithmetic of all its layers, and its compulsory traffic.
  Floor model{};
  /// Per layer, by itself; of an operator that one call does, of the layer that has the call.
  std::vector<Floor> layers{};
};

/// `times`: operator_times(). A layer of several calls is that of the one call that can do them, or
/// its result alone is counted as moved. Products by which other operators are computed (a sum as a
/// product with a triangle, Fourier transforms) are no arithmetic that the model asks for.
ModelFloor model_floor(const Graph& graph, const std::vector<LayerTime>& times,
                       const DeviceRates& rates, const MeasurementFilter& filter);

}  // namespace benanza::analysis
