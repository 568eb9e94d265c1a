#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/model/algorithms.h"
#include "analysis/profiles/profile.h"
#include "core/library/library_call.h"

namespace benanza::analysis {

/// The algorithm that a framework chose for one product of the model, as far as its profile or an
/// API log shows it.
struct FrameworkPick {
  /// The name in the cudnn suite; empty if unknown. From kernel names, "fft" and "implicit_gemm"
  /// stand for two algorithms each (kernel_name.h).
  std::string algorithm{};
  /// The log's own text ("engine 28 TILE_SIZE=4"), otherwise the kernels of the product.
  std::string detail{};
  /// Whether Tensor Cores were used, by the kernel names; empty if unknown.
  std::optional<bool> tensor_cores{};
  /// Seconds of all kernels of the operator that did the layer, including other layers fused into
  /// it. Empty without a profile.
  std::optional<double> ran_seconds{};
  /// True if the operator also did the product of an earlier row (attention does two). Its time
  /// counts there.
  bool again = false;
  /// The fastest admitted measurement of that algorithm; null if the algorithm is unknown or was
  /// not measured.
  const Measurement* measured = nullptr;
  /// Seconds that the algorithm loses to the best one: at least these, because its fastest layout
  /// is taken.
  std::optional<double> loss{};

  bool is_known() const { return !detail.empty(); }
};

/// Returns one pick per row. `profile` must be one_run() of the graph with the GPU's kernels, or
/// null; `calls` are those of API logs and may be empty. Throws Error, one line, for a profile of
/// another model (same_model.h).
std::vector<FrameworkPick> framework_picks(const Graph& graph,
                                           const std::vector<AlgorithmRow>& rows,
                                           const MeasurementSet& measurements,
                                           const MeasurementFilter& filter, const Profile* profile,
                                           const std::vector<LibraryCall>& calls);

/// Sums over picks; times in seconds.
struct PickTotals {
  /// Products whose operator or call was found, and those whose algorithm was measured.
  std::size_t found = 0;
  std::size_t known = 0;
  /// Over the `known` ones.
  double loss_seconds = 0;
  std::size_t misses = 0;
  /// Over products with a profiled time and a best algorithm: both times.
  std::size_t ran = 0;
  double ran_seconds = 0;
  double best_seconds = 0;
  /// The profiled time with Tensor Cores, without, and unknown.
  std::size_t with = 0;
  std::size_t without = 0;
  double with_seconds = 0;
  double without_seconds = 0;
  double unknown_seconds = 0;
};
PickTotals totals(const std::vector<AlgorithmRow>& rows, const std::vector<FrameworkPick>& picks);

}  // namespace benanza::analysis
