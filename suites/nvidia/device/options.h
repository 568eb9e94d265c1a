#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "suites/harness/backend.h"

namespace benanza::nvidia {

/// The flags of an NVIDIA suite beside the harness' own.
struct CudaOptions {
  /// Ordinal among the visible GPUs. CTest's resource allocation decides where no flag does, and
  /// the environment's BENANZA_DEVICE where there is none.
  int device = 0;
  /// The only GPU that may be visible, as CUDA_VISIBLE_DEVICES names it ("GPU-5b3c..."): what CTest
  /// has allocated by UUID. `device` is then 0.
  std::optional<std::string> visible = {};
  /// Largest workspace of one call, in bytes. Empty: what is free.
  std::optional<std::int64_t> max_workspace_bytes;
  /// Where the device's peaks come from: "measure", "none", or a results file that says them.
  std::string peaks = "measure";
  /// The GPU is not another suite's: this one waits for it. False where another process, which this
  /// one takes turns with, has waited.
  bool lock = true;
  /// Adds kernel names and CUPTI's times, of kernels and of graphs of calls, to every row.
  bool kernels = false;
  /// Adds hardware counters to every row.
  bool counters = false;
  /// More of them, by CUPTI's names.
  std::vector<std::string> counter_names = {};
  /// Each "NAME = EXPRESSION" over counters.
  std::vector<std::string> metrics = {};

  bool operator==(const CudaOptions&) const = default;
};

/// Value of an environment variable, or null.
using Environment = std::function<const char*(const char*)>;

/// Takes --device=N, --max-workspace=BYTES (suffixes K, M, G: KiB, MiB, GiB), --peaks=SOURCE,
/// --kernels, --counters[=NAME,...], --metric=NAME=EXPRESSION (as often as wanted) and
/// --metrics=memory|compute|tensor out of argv; everything else stays, in order, for the harness.
/// Without
/// --peaks, the environment's BENANZA_PEAKS says it; BENANZA_GPU_LOCK=none leaves the lock to
/// another process. Throws Error naming the flag and its value.
CudaOptions take_cuda_options(int& argc, char** argv, const Environment& environment);

/// For help.
std::vector<harness::BackendFlag> cuda_flags();

}  // namespace benanza::nvidia
