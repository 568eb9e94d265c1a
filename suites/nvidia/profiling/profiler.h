#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "suites/nvidia/device/options.h"
#include "suites/nvidia/profiling/counters.h"
#include "suites/nvidia/profiling/kernels.h"

namespace benanza::nvidia {

/// How to run a primitive again.
struct Again {
  /// Enqueues one call.
  std::function<void()> call;
  /// Enqueues a graph of calls as they were timed, and returns the number of calls; 0 if there is
  /// none.
  std::function<std::int64_t()> replay;
  /// Captures the graph again and replays it.
  std::function<std::int64_t()> recapture;
  /// Enqueues the work that precedes a counted call: a cache flush if cold, else the call itself.
  std::function<void()> prepare;
  /// Caches are flushed before every call.
  bool cold = false;
};

/// The facts that --kernels and --counters add to a row. CUPTI is loaded for the first row that
/// needs it; if it cannot be used, rows give the reason, and it is not tried again.
class CudaProfiler {
 public:
  explicit CudaProfiler(const CudaOptions& options) : options_(options) {}

  /// Runs a primitive a few more times and returns kernel_facts(), graph_facts(), counter_facts()
  /// and metric_facts() as requested; "kernels_unavailable" and "counters_unavailable" give the
  /// reason if they failed. Throws what `again` throws.
  Facts facts(const Again& again);

 private:
  const Cupti& cupti();
  Facts kernels(const Again& again);
  Facts graphs(const Again& again);
  Facts counters(const Again& again);

  CudaOptions options_;
  std::optional<Cupti> cupti_;
  std::unique_ptr<CounterPlan> plan_;
  std::string kernels_unavailable_;
  std::string counters_unavailable_;
};

}  // namespace benanza::nvidia
