#include "cuda/profiler.h"

#include <algorithm>

namespace benanza {
namespace {

constexpr std::int64_t recorded_calls = 20;

}  // namespace

Facts CudaProfiler::facts(const std::function<void()>& call, const Replay& replay) {
  Facts facts;
  if (options_.kernels) {
    try {
      if (kernels_unavailable_.empty()) facts.merge(kernels(call, replay));
    } catch (const ProfilerUnavailable& unavailable) {
      kernels_unavailable_ = unavailable.what();
    }
    if (!kernels_unavailable_.empty()) facts["kernels_unavailable"] = kernels_unavailable_;
  }
  if (options_.counters) {
    try {
      if (counters_unavailable_.empty()) facts.merge(counters(call));
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

Facts CudaProfiler::kernels(const std::function<void()>& call, const Replay& replay) {
  std::int64_t calls = 0;
  const KernelRecords records = record_kernels(cupti(), [&] {
    while (calls < recorded_calls) {
      const std::int64_t replayed = replay();
      if (replayed == 0) call();
      calls += std::max<std::int64_t>(replayed, 1);
    }
  });
  return kernel_facts(records, static_cast<std::size_t>(calls));
}

Facts CudaProfiler::counters(const std::function<void()>& call) {
  if (!plan_) {
    plan_ = std::make_unique<CounterPlan>(cupti(), chip_name(cupti(), options_.device),
                                          counter_availability(cupti()));
  }
  return counter_facts(count(cupti(), *plan_, call));
}

}  // namespace benanza
