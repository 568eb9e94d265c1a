#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/input/measurement.h"
#include "analysis/input/results.h"
#include "core/problem/precision.h"

namespace benanza::analysis {

/// How the algorithm of a call is chosen.
enum class AlgorithmPolicy {
  /// The fastest measured one.
  fastest,
  /// As the library chooses: for every layout and backend, the admitted algorithm that its
  /// heuristic ranks highest (the fastest if it ranks none); among these, the fastest.
  heuristic
};

/// Which measurements are admitted for a layer, and how one of them is chosen.
struct MeasurementFilter {
  Precision precision = Precision::fp32;
  /// Empty: every layout. Problems without a channel order (`plain`) are always admitted.
  std::optional<Layout> layout{};
  /// Empty: every backend.
  std::vector<std::string> backends{};
  /// Caches flushed before every call. Cold and hot times are never mixed.
  bool cold = false;
  /// Calls are taken to find their weights in the cache, even those of a model whose weights do not
  /// fit it.
  bool weights_in_cache = false;
  /// Precision for layers that the library does not support at `precision`.
  std::optional<Precision> fallback{};
  /// Empty: any workspace. A call that does not report its workspace counts as needing none.
  std::optional<std::int64_t> max_workspace_bytes{};
  AlgorithmPolicy policy = AlgorithmPolicy::fastest;
  /// False: only calls that are known not to use Tensor Cores.
  bool tensor_cores = true;
  /// False: only a layer's individual calls, no fused ones except those that do a whole operator of
  /// the model (Fusion::whole).
  bool fused_calls = true;
  /// False: without the calls of a layer that only move elements to its other calls
  /// (Layer::inner_moves).
  bool inner_moves = true;
  /// False: no call that adds a residual in place (Fusion::keeps_residual).
  bool overwrites_residual = true;
};

/// The precision for what bytes cannot do, unless the user says which: fp32 if any of these
/// problems is measured at it. Empty for other precisions.
std::optional<Precision> usual_fallback(Precision precision, const KeySet& problems,
                                        const MeasurementSet& measurements);

/// The call selected for one problem, or why there is none.
struct Selected {
  /// Lives as long as the MeasurementSet.
  const Measurement* best = nullptr;
  /// By how many seconds `best` may have been chosen by chance: what the choice without a process
  /// takes in that process, in the mean over the processes, beyond best->seconds(). At least 0; 0
  /// for a choice that one process alone allows.
  double luck_seconds = 0;
  /// If there is no call: true if no admitted variant can be used; false if measuring (again) could
  /// help.
  bool unsupported = false;
  std::string reason{};
};

/// As what tensors are stored and copied in a run at this precision: TF32 only concerns products.
inline Precision copied_as(Precision precision) {
  return precision == Precision::tf32 ? Precision::fp32 : precision;
}

/// Returns true if `filter` names this backend, or none.
bool admits_backend(const MeasurementFilter& filter, std::string_view backend);
/// Returns true if `filter`, with `precision` instead of its own, admits the measurement.
bool admits(const MeasurementFilter& filter, Precision precision, const Measurement& measurement);
/// Whether it is one of those that select_measurement() chooses from.
bool is_candidate(const MeasurementFilter& filter, Precision precision,
                  const Measurement& measurement);

/// Returns the call that `filter` chooses for the problem, with `precision` instead of its own.
Selected select_measurement(std::string_view key, const MeasurementSet& measurements,
                            const MeasurementFilter& filter, Precision precision);

}  // namespace benanza::analysis
