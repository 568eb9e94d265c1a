#include "suites/nvidia/profiling/counters.h"

#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <optional>

#include "core/metrics/expression.h"
#include "core/nvidia/range_profiler.h"
#include "suites/nvidia/device/check.h"
#include "suites/nvidia/device/driver.h"

namespace benanza::nvidia {
namespace {

CUcontext current_context() {
  CUcontext context = nullptr;
  const auto current = driver_function<PFN_cuCtxGetCurrent_v4000>("cuCtxGetCurrent", 4000);
  if (current == nullptr || current(&context) != CUDA_SUCCESS) {
    throw ProfilerUnavailable("the driver does not tell its context");
  }
  return context;
}

}  // namespace

std::vector<std::string> standard_counters() {
  return {
      "sm__inst_executed_pipe_tensor_op_hmma.sum",
      "sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum",
      "sm__inst_executed_pipe_tensor_op_gmma.sum",
      "sm__inst_executed_pipe_tensor_op_imma.sum",
      "sm__inst_executed_pipe_tensor_op_dmma.sum",
      "dram__bytes_read.sum",
      "dram__bytes_write.sum",
      "smsp__inst_executed.sum",
      "lts__t_sector_hit_rate.pct",
      "sm__warps_active.avg.pct_of_peak_sustained_active",
  };
}

CounterValues count(const Cupti& cupti, const CounterPlan& plan, const std::function<void()>& work,
                    const std::function<void()>& prepare) {
  RangeProfiler profiler(cupti, current_context(), plan, Ranges::by_user);
  profiler.configure(1);
  const std::size_t limit = plan.passes() + 1;
  for (std::size_t taken = 0; taken <= limit; ++taken) {
    profiler.start();
    // After the start, which may itself use the caches.
    prepare();
    synchronize_device();
    profiler.push("call");
    work();
    synchronize_device();
    profiler.pop();
    if (!profiler.stop()) continue;
    const std::vector<CounterValues> values = profiler.take();
    if (values.empty()) throw ProfilerUnavailable("CUPTI counted nothing");
    return values.front();
  }
  throw ProfilerUnavailable("CUPTI asks for more passes than it planned");
}

Facts counter_facts(const CounterValues& values) {
  Facts facts;
  const auto value = [&](const char* metric) -> std::optional<double> {
    const auto found = values.find(metric);
    if (found == values.end()) return std::nullopt;
    return found->second;
  };
  const auto copy = [&](const char* metric, const char* fact) {
    if (const auto number = value(metric)) facts[fact] = *number;
  };
  copy("dram__bytes_read.sum", "dram_read_bytes");
  copy("dram__bytes_write.sum", "dram_written_bytes");
  copy("smsp__inst_executed.sum", "instructions");
  copy("lts__t_sector_hit_rate.pct", "l2_hit_percent");
  copy("sm__warps_active.avg.pct_of_peak_sustained_active", "active_warps_percent");

  const auto hmma = value("sm__inst_executed_pipe_tensor_op_hmma.sum");
  const auto packed = value("sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum");
  const auto imma = value("sm__inst_executed_pipe_tensor_op_imma.sum");
  if (hmma && packed && imma) {
    const double instructions = *hmma - *packed + *imma +
                                value("sm__inst_executed_pipe_tensor_op_dmma.sum").value_or(0) +
                                value("sm__inst_executed_pipe_tensor_op_gmma.sum").value_or(0);
    facts["tensor_core_instructions"] = instructions;
    facts["tensor_core_counted"] = instructions > 0;
  }
  return facts;
}

std::vector<std::string> needed_counters(std::vector<std::string> names,
                                         const std::vector<std::string>& metrics) {
  for (const std::string& text : metrics) {
    const Metric metric = parse_metric(text);
    for (const std::string& name : metric.expression.names()) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

Facts metric_facts(const CounterValues& values, const std::vector<std::string>& names,
                   const std::vector<std::string>& metrics) {
  Facts facts;
  const auto value = [&](std::string_view name) -> std::optional<double> {
    const auto found = values.find(std::string(name));
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
  for (const std::string& name : names) {
    if (const auto number = value(name)) facts["counter_" + name] = *number;
  }
  for (const std::string& text : metrics) {
    const Metric metric = parse_metric(text);
    if (const auto number = metric.expression.value(value)) {
      facts["metric_" + metric.name] = *number;
    }
  }
  return facts;
}

}  // namespace benanza::nvidia
