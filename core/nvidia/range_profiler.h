#pragma once

#include <cstdint>
#include <vector>

#include "core/nvidia/counters.h"

struct CUpti_RangeProfiler_Object;

namespace benanza::nvidia {

/// What becomes a range.
enum class Ranges {
  /// What lies between push() and pop(); the caller runs it again for every pass.
  by_user,
  /// Every kernel; CUPTI runs it again for every pass, and restores the memory in between. Kernels
  /// then run one after the other.
  by_kernel
};

/// Counts metrics by range in one context, during its lifetime. Needs no CUDA runtime. Every member
/// but the destructor throws ProfilerUnavailable.
class RangeProfiler {
 public:
  /// `plan` must outlive it.
  RangeProfiler(const Cupti& cupti, CUcontext context, const CounterPlan& plan, Ranges ranges);
  ~RangeProfiler();
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;

  /// To be called before the first start(), and after each take(). There is room for the first
  /// `most` ranges; CUPTI drops the others.
  void configure(std::size_t most);
  void start();
  void push(const char* name);
  void pop();
  /// Returns true if no further pass is needed.
  bool stop();
  /// The ranges since configure(), in the order in which they ran. After stop() has returned true.
  std::vector<CounterValues> take();

 private:
  const Cupti& cupti_;
  const CounterPlan& plan_;
  Ranges ranges_;
  CUpti_RangeProfiler_Object* object_ = nullptr;
  std::vector<std::uint8_t> data_;
};

}  // namespace benanza::nvidia
