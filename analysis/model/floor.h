#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/input/results.h"
#include "analysis/model/layer_time.h"
#include "analysis/model/selection.h"
#include "core/graph_file/graph.h"
#include "core/problem/problem.h"

/// What no software can beat on a device: its measured peaks, and the least that a problem or a
/// model asks of them.
namespace benanza::analysis {

/// One axis of a convolution: outputs o and taps t of a kernel meet input o * stride - pad +
/// t * dilation, where there is one.
struct Axis {
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::int64_t pad = 0;
};

/// Multiplications that the axis needs by the fewest that known algorithms do with: of a kernel of
/// r at stride 1, m outputs of n inputs take the least of m + r - 1 (S. Winograd, Arithmetic
/// Complexity of Computations, 1980; as by Toom and Cook), n + r - 1, m + n - 1 and the products
/// that the axis has, taps on padding left out. A stride or a dilation makes several such sums of
/// what is a multiple of it apart, each counted by itself (polyphase); where there are both, the
/// products are counted.
std::int64_t least_products(const Axis& axis);

/// Two per multiplication of a product: convolutions by least_products() for every axis, image and
/// pair of channels; matrix products 2 m n k: algorithms like Strassen's are not considered;
/// attention without what a causal mask hides; recurrent layers without products with an initial
/// state of zeros. 0 for everything else, which may be folded, or hidden behind products.
double least_flops(const Problem& problem);

/// Every element that is needed read once, and the result written once. Pixels that a window steps
/// over, elements that a broadcast repeats and inputs of a resampling do not count.
double least_read_bytes(const Problem& problem, Precision precision);
double least_bytes(const Problem& problem, Precision precision);

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
