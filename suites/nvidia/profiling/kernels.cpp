#include "suites/nvidia/profiling/kernels.h"

#include <cudaTypedefs.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>

#include "core/statistics/summary.h"
#include "suites/nvidia/device/check.h"

namespace benanza::nvidia {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

/// Not CUPTI_ACTIVITY_KIND_KERNEL, which serialises kernels.
CUpti_ActivityKind cupti_kind(ActivityKind kind) {
  return kind == ActivityKind::kernel ? CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL
                                      : CUPTI_ACTIVITY_KIND_GRAPH_TRACE;
}

/// Collects CUPTI's buffers during its lifetime. Only one instance may exist, because CUPTI's
/// callbacks have no user data.
class Collector {
 public:
  Collector(const Cupti& cupti, ActivityKind kind)
      : cupti_(cupti),
        kind_(cupti_kind(kind)),
        next_(cupti.function<decltype(cuptiActivityGetNextRecord)>("cuptiActivityGetNextRecord")) {
    active_ = this;
    try {
      cupti_.call<decltype(cuptiActivityRegisterCallbacks)>("cuptiActivityRegisterCallbacks",
                                                            &request, &complete);
      cupti_.call<decltype(cuptiActivityEnable)>("cuptiActivityEnable", kind_);
    } catch (...) {
      active_ = nullptr;
      throw;
    }
  }
  ~Collector() {
    cupti_.function<decltype(cuptiActivityDisable)>("cuptiActivityDisable")(kind_);
    active_ = nullptr;
  }
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  std::vector<Activity> take() {
    cupti_.call<decltype(cuptiActivityFlushAll)>("cuptiActivityFlushAll",
                                                 std::uint32_t{CUPTI_ACTIVITY_FLAG_FLUSH_FORCED});
    const std::lock_guard lock(mutex_);
    return std::move(activities_);
  }

 private:
  static void CUPTIAPI request(std::uint8_t** buffer, std::size_t* size, std::size_t* records) {
    *buffer = static_cast<std::uint8_t*>(std::malloc(buffer_bytes));
    *size = *buffer == nullptr ? 0 : buffer_bytes;
    *records = 0;
  }

  static void CUPTIAPI complete(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                                std::size_t valid) {
    if (Collector* const collector = active_) collector->read(buffer, valid);
    std::free(buffer);
  }

  void read(std::uint8_t* buffer, std::size_t valid) {
    const std::lock_guard lock(mutex_);
    CUpti_Activity* record = nullptr;
    while (valid > 0 && next_(buffer, valid, &record) == CUPTI_SUCCESS) {
      if (record->kind != kind_) continue;
      if (kind_ == CUPTI_ACTIVITY_KIND_GRAPH_TRACE) {
        const auto* graph = reinterpret_cast<const CUpti_ActivityGraphTrace2*>(record);
        activities_.push_back({graph->start, graph->end, ""});
      } else {
        const auto* kernel = reinterpret_cast<const CUpti_ActivityKernel10*>(record);
        activities_.push_back(
            {kernel->start, kernel->end, kernel->name == nullptr ? "" : kernel->name});
      }
    }
  }

  static inline std::atomic<Collector*> active_ = nullptr;
  const Cupti& cupti_;
  CUpti_ActivityKind kind_;
  decltype(cuptiActivityGetNextRecord)* next_;
  std::mutex mutex_;
  std::vector<Activity> activities_;
};

}  // namespace

std::vector<Activity> record_activities(const Cupti& cupti, ActivityKind kind,
                                        const std::function<void()>& work) {
  Collector collector(cupti, kind);
  work();
  synchronize_device();
  std::vector<Activity> activities = collector.take();
  std::stable_sort(activities.begin(), activities.end(), [](const Activity& a, const Activity& b) {
    return a.start_nanoseconds < b.start_nanoseconds;
  });
  return activities;
}

namespace {

std::vector<KernelTime> by_position(const std::vector<KernelTime>& records, std::size_t kernels) {
  std::vector<KernelTime> result;
  for (std::size_t position = 0; position < kernels; ++position) {
    std::vector<double> times;
    for (std::size_t at = position; at < records.size(); at += kernels) {
      if (records[at].name != records[position].name) return {};
      times.push_back(records[at].seconds);
    }
    result.push_back({records[position].name, median(times)});
  }
  return result;
}

std::vector<KernelTime> by_name(const std::vector<KernelTime>& records, std::size_t calls) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<double>> times;
  for (const KernelTime& record : records) {
    if (times[record.name].empty()) order.push_back(record.name);
    times[record.name].push_back(record.seconds);
  }
  std::vector<KernelTime> result;
  for (const std::string& name : order) {
    const std::vector<double>& all = times[name];
    if (all.size() % calls != 0) return {};
    result.insert(result.end(), all.size() / calls, {name, median(all)});
  }
  return result;
}

}  // namespace

KernelRecords kernel_records(const std::vector<Activity>& activities) {
  KernelRecords result;
  std::vector<Span> spans;
  for (const Activity& activity : activities) {
    // Relative to the first, because a double cannot represent nanoseconds since 1970 exactly.
    const auto seconds = [&](std::uint64_t nanoseconds) {
      return static_cast<double>(nanoseconds - activities.front().start_nanoseconds) * 1e-9;
    };
    spans.push_back({seconds(activity.start_nanoseconds), seconds(activity.end_nanoseconds)});
    result.kernels.push_back({activity.name, spans.back().end - spans.back().begin});
  }
  for (const Span& span : spans) result.span_seconds = std::max(result.span_seconds, span.end);
  result.busy_seconds = covered_seconds(std::move(spans));
  return result;
}

double covered_seconds(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end(),
            [](const Span& a, const Span& b) { return a.begin < b.begin; });
  double covered = 0;
  double until = spans.empty() ? 0 : spans.front().begin;
  for (const Span& span : spans) {
    covered += std::max(0.0, span.end - std::max(span.begin, until));
    until = std::max(until, span.end);
  }
  return covered;
}

std::vector<KernelTime> kernels_of_a_call(const std::vector<KernelTime>& records,
                                          std::size_t calls) {
  if (calls == 0 || records.size() % calls != 0) return {};
  const std::vector<KernelTime> in_order = by_position(records, records.size() / calls);
  return in_order.empty() ? by_name(records, calls) : in_order;
}

Facts kernel_facts(const KernelRecords& records, std::size_t calls) {
  std::string names;
  for (const KernelTime& kernel : kernels_of_a_call(records.kernels, calls)) {
    if (!names.empty()) names += ',';
    names += kernel.name;
  }
  if (names.empty()) return {};
  return {{"kernel_names", names},
          {"kernel_seconds", records.busy_seconds / static_cast<double>(calls)},
          {"kernel_span_seconds", records.span_seconds / static_cast<double>(calls)}};
}

Facts graph_facts(const std::vector<Activity>& graphs, std::size_t calls) {
  std::vector<double> seconds;
  for (const Activity& graph : graphs) {
    if (graph.end_nanoseconds <= graph.start_nanoseconds) continue;
    seconds.push_back(static_cast<double>(graph.end_nanoseconds - graph.start_nanoseconds) * 1e-9);
  }
  if (seconds.empty() || calls == 0) return {};
  return {{"graph_seconds", median(seconds) / static_cast<double>(calls)}};
}

namespace {

/// Looks up names through the driver, because the runtime knows only the kernels of this program,
/// not those of the libraries.
class KernelNames {
 public:
  std::optional<std::string> operator()(cudaGraphNode_t node) const {
    if (params_ == nullptr || function_name_ == nullptr || kernel_name_ == nullptr) {
      return std::nullopt;
    }
    CUDA_KERNEL_NODE_PARAMS_v2 params{};
    if (params_(node, &params) != CUDA_SUCCESS) return std::nullopt;
    const char* name = nullptr;
    const CUresult status = params.kern != nullptr ? kernel_name_(&name, params.kern)
                                                   : function_name_(&name, params.func);
    if (status != CUDA_SUCCESS || name == nullptr) return std::nullopt;
    return name;
  }

 private:
  PFN_cuGraphKernelNodeGetParams_v12000 params_ =
      driver_function<PFN_cuGraphKernelNodeGetParams_v12000>("cuGraphKernelNodeGetParams", 12000);
  PFN_cuFuncGetName_v12030 function_name_ =
      driver_function<PFN_cuFuncGetName_v12030>("cuFuncGetName", 12030);
  PFN_cuKernelGetName_v12030 kernel_name_ =
      driver_function<PFN_cuKernelGetName_v12030>("cuKernelGetName", 12030);
};

}  // namespace

GraphKernels graph_kernels(cudaGraph_t graph) {
  std::size_t count = 0;
  check(cudaGraphGetNodes(graph, nullptr, &count), "cudaGraphGetNodes");
  std::vector<cudaGraphNode_t> nodes(count);
  if (count > 0) check(cudaGraphGetNodes(graph, nodes.data(), &count), "cudaGraphGetNodes");

  const KernelNames name_of;
  GraphKernels result;
  bool all_named = true;
  for (const cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    check(cudaGraphNodeGetType(node, &type), "cudaGraphNodeGetType");
    if (type == cudaGraphNodeTypeMemcpy || type == cudaGraphNodeTypeMemset) {
      ++result.memory_operations;
    } else if (type == cudaGraphNodeTypeKernel) {
      ++result.kernels;
      const auto name = name_of(node);
      all_named = all_named && name.has_value();
      if (name &&
          std::find(result.names.begin(), result.names.end(), *name) == result.names.end()) {
        result.names.push_back(*name);
      }
    }
  }
  if (!all_named) result.names.clear();
  return result;
}

}  // namespace benanza::nvidia
