#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "suites/harness/backend.h"

namespace benanza::nvidia {

/// The flags of an NVIDIA suite, in addition to the harness' own.
struct CudaOptions {
  /// Ordinal among the visible GPUs. Without a flag, CTest's resource allocation determines it,
  /// else the environment variable BENANZA_DEVICE.
  int device = 0;
  /// The only GPU to make visible, in the format of CUDA_VISIBLE_DEVICES ("GPU-5b3c..."): the one
  /// CTest has allocated by UUID. `device` is then 0.
  std::optional<std::string> visible = {};
  /// Largest workspace of one call, in bytes. Empty: the free memory.
  std::optional<std::int64_t> max_workspace_bytes;
  /// Source of the device's peaks: "measure", "none", or a results file that contains them.
  std::string peaks = "measure";
  /// Wait until no other suite uses the GPU. False if the lock is held by another process with
  /// which this one takes turns.
  bool lock = true;
  /// Add kernel names and CUPTI's times, of kernels and of graphs of calls, to every row.
  bool kernels = false;
  /// Add hardware counters to every row.
  bool counters = false;
  /// Additional counters, by CUPTI's names.
  std::vector<std::string> counter_names = {};
  /// Metrics over counters, each as "NAME = EXPRESSION".
  std::vector<std::string> metrics = {};

  bool operator==(const CudaOptions&) const = default;
};

/// Returns the value of an environment variable, or null.
using Environment = std::function<const char*(const char*)>;

/// Removes --device=N, --max-workspace=BYTES (suffixes K, M, G: KiB, MiB, GiB), --peaks=SOURCE,
/// --kernels, --counters[=NAME,...], --metric=NAME=EXPRESSION (may be repeated) and
/// --metrics=memory|compute|tensor from argv; all other arguments stay, in order, for the harness.
/// Without --peaks, the environment variable BENANZA_PEAKS is used; BENANZA_GPU_LOCK=none leaves
/// the lock to another process. Throws Error naming the flag and its value.
CudaOptions take_cuda_options(int& argc, char** argv, const Environment& environment);

/// The flags above, for help.
std::vector<harness::BackendFlag> cuda_flags();

}  // namespace benanza::nvidia
