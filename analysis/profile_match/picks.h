#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/model/algorithms.h"
#include "analysis/profiles/profile.h"
#include "core/api_log/api_log.h"

namespace benanza::analysis {

/// The algorithm a framework took for one product of the model, as far as its profile or an API log
/// tells.
struct FrameworkPick {
  /// As the cudnn suite calls it; empty if unknown. From kernels' names, "fft" and "implicit_gemm"
  /// stand for two algorithms each (kernel_name.h).
  std::string algorithm{};
  /// The log's own words ("engine 28 TILE_SIZE=4"), else the kernels that did the product.
  std::string detail{};
  /// Tensor Cores, by the kernels' names.
  std::optional<bool> tensor_cores{};
  /// Seconds of all kernels of the operator that did the layer: other layers that were fused into
  /// it included. Empty without a profile.
  std::optional<double> ran_seconds{};
  /// The operator did the product of an earlier row, too (attention does two): its time is that
  /// row's, and counted there.
  bool again = false;
  /// The fastest admitted measurement of that algorithm; null where the algorithm is not known or
  /// was not measured.
  const Measurement* measured = nullptr;
  /// Seconds that its algorithm loses beside the best one: at least these, as the algorithm's
  /// fastest layout is taken.
  std::optional<double> loss{};

  bool is_known() const { return !detail.empty(); }
};

/// One per row. `profile` must be one_run() of the graph and know the GPU's kernels, or be null;
/// `calls` are those of API logs, or none. Throws Error, one line, for a profile of another model
/// (same_model.h).
std::vector<FrameworkPick> framework_picks(const Graph& graph,
                                           const std::vector<AlgorithmRow>& rows,
                                           const MeasurementSet& measurements,
                                           const MeasurementFilter& filter, const Profile* profile,
                                           const std::vector<LibraryCall>& calls);

/// Sums over `picks`. Seconds.
struct PickTotals {
  /// Products whose operator or call was found; whose algorithm was measured.
  std::size_t found = 0;
  std::size_t known = 0;
  /// Over the known ones.
  double loss_seconds = 0;
  std::size_t misses = 0;
  /// Over those with a profiled time and a best one: what ran, and the best.
  std::size_t ran = 0;
  double ran_seconds = 0;
  double best_seconds = 0;
  /// Of the profiled time: with Tensor Cores, without, and not known.
  std::size_t with = 0;
  std::size_t without = 0;
  double with_seconds = 0;
  double without_seconds = 0;
  double unknown_seconds = 0;
};
PickTotals totals(const std::vector<AlgorithmRow>& rows, const std::vector<FrameworkPick>& picks);

}  // namespace benanza::analysis
