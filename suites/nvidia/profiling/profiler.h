#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/nvidia/counters.h"
#include "suites/harness/primitive.h"
#include "suites/nvidia/device/options.h"
#include "suites/nvidia/profiling/kernels.h"

namespace benanza::nvidia {

/// The metrics that counter_facts() needs.
std::vector<std::string> standard_counters();

/// Runs `work` on the current device as often as the plan requires, each time after `prepare`,
/// which is not counted, and returns its metrics. `work` must do the same every time. Throws
/// ProfilerUnavailable, or what the callbacks throw.
CounterValues count(const Cupti& cupti, const CounterPlan& plan, const std::function<void()>& work,
                    const std::function<void()>& prepare);

/// "tensor_core_counted", "tensor_core_instructions" (matrix instructions without the packed half
/// arithmetic that shares their pipe), "dram_read_bytes", "dram_written_bytes", "instructions",
/// "l2_hit_percent", "active_warps_percent"; each only if its metrics are available.
Facts counter_facts(const CounterValues& values);

/// "counter_NAME" for each of `names`, and "metric_NAME" for each of `metrics` ("NAME =
/// EXPRESSION"), if available. Throws Error for an invalid metric.
Facts metric_facts(const CounterValues& values, const std::vector<std::string>& names,
                   const std::vector<std::string>& metrics);
/// Returns `names` and the counters that `metrics` need, without duplicates.
std::vector<std::string> needed_counters(std::vector<std::string> names,
                                         const std::vector<std::string>& metrics);

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
