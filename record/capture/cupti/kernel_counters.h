#pragma once

#include <cupti.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/nvidia/counters.h"
#include "core/nvidia/range_profiler.h"
#include "record/store/device_events.h"

namespace benanza::record {

/// Counts hardware events of every kernel that this process launches while it is active. CUPTI runs
/// a kernel once for every pass that the counters need, one kernel after the other. Kernels of CUDA
/// graphs are not counted: with CUPTI 13.0.1, a graph launched while counting leaves out kernels.
/// Thread-safe; errors become notes.
class KernelCounters {
 public:
  /// `tell` is called from any thread, and receives CounterEvents and NoteEvents.
  KernelCounters(const nvidia::Cupti& cupti, std::vector<std::string> counters,
                 std::function<void(const Event& event)> tell);

  /// Requests the callbacks that take() needs. Throws ProfilerUnavailable.
  void listen(CUpti_SubscriberHandle subscriber) const;
  /// Handles a callback of CUPTI's driver and resource domains.
  void take(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data);
  void set_active(bool active) { is_active_ = active; }
  /// Stops counting. Called before the process exits, while CUPTI still works.
  void end();

 private:
  struct Launch {
    std::string kernel{};
    std::array<std::int32_t, 3> grid{};
    std::array<std::int32_t, 3> block{};
  };
  struct Context {
    std::unique_ptr<nvidia::RangeProfiler> profiler{};
    bool has_failed = false;
  };

  void take_graph(CUcontext handle);
  void begin(CUcontext handle, Launch launch);
  void finish(CUcontext handle, bool has_launched);
  const nvidia::CounterPlan& plan(int device);
  void fail(Context& context, const char* reason);
  bool is_captured(CUstream stream) const;

  const nvidia::Cupti& cupti_;
  const std::vector<std::string> counters_;
  const std::function<void(const Event& event)> tell_;
  CUresult (*is_capturing_)(CUstream, CUstreamCaptureStatus*) = nullptr;
  std::atomic<bool> is_active_ = false;
  std::atomic<bool> is_over_ = false;
  /// Held from a launch's begin to its end.
  std::mutex mutex_;
  std::map<int, std::unique_ptr<nvidia::CounterPlan>> plans_;
  std::map<CUcontext, Context> contexts_;
  Launch launch_;
  std::uint64_t launches_ = 0;
};

}  // namespace benanza::record
