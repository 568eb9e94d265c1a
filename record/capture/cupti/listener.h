#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>

#include "core/nvidia/cupti.h"
#include "record/capture/cupti/kernel_counters.h"
#include "record/capture/cupti/nvtx_ranges.h"

namespace benanza::record {

/// The one subscriber that CUPTI has per process: callbacks of NVTX for the ranges to record, and
/// those of counters. A program may enter a range before it first uses a GPU, so this can listen
/// before anything else is known.
class Listener {
 public:
  /// `range`: the name of the ranges to record; empty if all is recorded.
  explicit Listener(const std::string& range) : gate_(range), ranges_(gate_, range) {}
  /// CUPTI keeps its address.
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  const RangeGate& gate() const { return gate_; }
  /// Subscribes, and listens to NVTX if ranges have a name. Does nothing the second time. Throws
  /// ProfilerUnavailable.
  void listen(const nvidia::Cupti& cupti);
  /// Passes callbacks of counters on. `counters` must outlive this object, which must listen
  /// already.
  void pass_on(KernelCounters& counters);
  /// `changed` is called after every NVTX range that begins or ends, from its thread. Once only.
  void tell(std::function<void()> changed);

 private:
  static void CUPTIAPI take(void* listener, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                            const void* data);

  RangeGate gate_;
  NvtxRanges ranges_;
  std::mutex mutex_;
  bool is_listening_ = false;
  CUpti_SubscriberHandle subscriber_ = nullptr;
  std::atomic<KernelCounters*> counters_ = nullptr;
  std::function<void()> changed_;
  std::atomic<bool> tells_ = false;
};

}  // namespace benanza::record
