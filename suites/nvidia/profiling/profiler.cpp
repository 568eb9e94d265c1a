#include "suites/nvidia/profiling/profiler.h"

#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>

#include <algorithm>

#include "core/metrics/expression.h"
#include "core/nvidia/range_profiler.h"
#include "suites/nvidia/device/check.h"

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

namespace {

constexpr std::int64_t recorded_calls = 20;
constexpr int recorded_graphs = 5;

}  // namespace

Facts CudaProfiler::facts(const Again& again) {
  Facts facts;
  if (options_.kernels) {
    try {
      if (kernels_unavailable_.empty()) {
        facts.merge(kernels(again));
        facts.merge(graphs(again));
      }
    } catch (const ProfilerUnavailable& unavailable) {
      kernels_unavailable_ = unavailable.what();
    }
    if (!kernels_unavailable_.empty()) facts["kernels_unavailable"] = kernels_unavailable_;
  }
  if (options_.counters) {
    try {
      if (counters_unavailable_.empty()) facts.merge(counters(again));
    } catch (const ProfilerUnavailable& unavailable) {
      counters_unavailable_ = unavailable.what();
    }
    if (!counters_unavailable_.empty()) facts["counters_unavailable"] = counters_unavailable_;
  }
  return facts;
}

const Cupti& CudaProfiler::cupti() {
  if (!cupti_) cupti_.emplace();
  return *cupti_;
}

Facts CudaProfiler::kernels(const Again& again) {
  std::int64_t calls = 0;
  const std::vector<Activity> activities = record_activities(cupti(), ActivityKind::kernel, [&] {
    while (calls < recorded_calls) {
      const std::int64_t replayed = again.replay();
      if (replayed == 0 && again.cold) again.prepare();
      if (replayed == 0) again.call();
      calls += std::max<std::int64_t>(replayed, 1);
    }
  });
  Facts facts = kernel_facts(kernel_records(activities), static_cast<std::size_t>(calls));
  // It contains the flushes.
  if (again.cold) facts.erase("kernel_span_seconds");
  return facts;
}

Facts CudaProfiler::graphs(const Again& again) {
  std::int64_t calls = 0;
  const std::vector<Activity> activities = record_activities(cupti(), ActivityKind::graph, [&] {
    calls = again.recapture();
    if (calls == 0) return;
    for (int graph = 1; graph < recorded_graphs; ++graph) again.replay();
  });
  return graph_facts(activities, static_cast<std::size_t>(calls));
}

Facts CudaProfiler::counters(const Again& again) {
  if (!plan_) {
    const auto asked = needed_counters(options_.counter_names, options_.metrics);
    auto wanted = standard_counters();
    wanted.insert(wanted.end(), asked.begin(), asked.end());
    plan_ = std::make_unique<CounterPlan>(cupti(), chip_name(cupti(), options_.device),
                                          counter_availability(cupti()), wanted);
    for (const std::string& name : asked) {
      const auto& known = plan_->metrics();
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        throw ProfilerUnavailable("this GPU has no counter " + name);
      }
    }
  }
  const CounterValues values = count(cupti(), *plan_, again.call, again.prepare);
  Facts facts = counter_facts(values);
  facts.merge(metric_facts(values, options_.counter_names, options_.metrics));
  return facts;
}

}  // namespace benanza::nvidia
