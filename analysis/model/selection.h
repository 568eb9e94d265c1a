#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/input/measurement.h"
#include "core/problem/precision.h"

namespace benanza::analysis {

/// How the algorithm of a call is picked.
enum class AlgorithmPolicy {
  /// The fastest that was measured.
  fastest,
  /// As the library does: of every layout and backend the admitted algorithm that its heuristic
  /// ranks
  /// highest, the fastest where it ranks none; among these the fastest.
  heuristic
};

/// Which measurements may answer for a layer, and which of those admitted is taken.
struct MeasurementFilter {
  Precision precision = Precision::fp32;
  /// Empty: every layout. Problems without a channel order (`plain`) are always admitted.
  std::optional<Layout> layout{};
  /// Empty: every backend.
  std::optional<std::string> backend{};
  /// Caches flushed before every call. Cold and hot times are never mixed.
  bool cold = false;
  /// Precision of the layers that the library does not support at `precision`.
  std::optional<Precision> fallback{};
  /// Empty: any amount of scratch memory. A call that does not state its need has none.
  std::optional<std::int64_t> max_workspace_bytes{};
  AlgorithmPolicy policy = AlgorithmPolicy::fastest;
  /// False: only calls that are known not to use Tensor Cores.
  bool tensor_cores = true;
  /// False: a layer's calls one by one, no call that does several of them, but those that do an
  /// operator of the model as a whole (Fusion::whole).
  bool fused_calls = true;
  /// False: no call that adds a residual in the residual's own memory (Fusion::keeps_residual).
  bool overwrites_residual = true;
};

/// The answer of the measurements about one problem: a call, or why there is none.
struct Selected {
  /// Lives as long as the MeasurementSet.
  const Measurement* best = nullptr;
  /// Without a call: the library refuses every admitted variant. Otherwise measuring (again) could
  /// answer.
  bool unsupported = false;
  std::string reason{};
};

/// Does `filter`, at `precision` instead of its own, admit the measurement?
bool admits(const MeasurementFilter& filter, Precision precision, const Measurement& measurement);

/// The call that `filter` takes for the problem, at `precision` instead of its own.
Selected select_measurement(std::string_view key, const MeasurementSet& measurements,
                            const MeasurementFilter& filter, Precision precision);

}  // namespace benanza::analysis
