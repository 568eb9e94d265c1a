#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "suites/nvidia/device/options.h"
#include "suites/nvidia/profiling/counters.h"
#include "suites/nvidia/profiling/kernels.h"

namespace benanza::nvidia {

/// How a primitive runs once more.
struct Again {
  /// Enqueues one call.
  std::function<void()> call;
  /// Enqueues calls as they were timed, as a graph, and returns how many; 0 if there is none.
  std::function<std::int64_t()> replay;
  /// replay() of a graph that is captured for it.
  std::function<std::int64_t()> recapture;
  /// Enqueues what comes before a call that is counted: the flush of a cold one, or the call
  /// itself.
  std::function<void()> prepare;
};

/// The facts that --kernels and --counters add to a row. CUPTI is loaded when the first row asks;
/// where it cannot be used, rows say why, once it has failed it is not tried again.
class CudaProfiler {
 public:
  explicit CudaProfiler(const CudaOptions& options) : options_(options) {}

  /// Runs a primitive some times more: kernel_facts(), graph_facts(), counter_facts() and
  /// metric_facts() as asked for; "kernels_unavailable" and "counters_unavailable" with the reason.
  /// Throws what `again` throws.
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
