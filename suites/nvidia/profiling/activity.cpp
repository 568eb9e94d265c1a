#include "suites/nvidia/profiling/activity.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>

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

}  // namespace benanza::nvidia
