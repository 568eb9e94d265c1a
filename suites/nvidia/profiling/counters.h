#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/nvidia/counters.h"
#include "suites/harness/primitive.h"

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

}  // namespace benanza::nvidia
