#include "cuda/profiler.h"

namespace benanza {
namespace {

constexpr std::size_t recorded_calls = 20;

}  // namespace

Facts CudaProfiler::facts(const std::function<void()>& call) {
  Facts facts;
  if (options_.kernels) {
    try {
      if (kernels_unavailable_.empty()) facts.merge(kernels(call));
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

Facts CudaProfiler::kernels(const std::function<void()>& call) {
  const auto records = record_kernels(cupti(), [&] {
    for (std::size_t index = 0; index < recorded_calls; ++index) call();
  });
  return kernel_facts(kernels_of_a_call(records, recorded_calls));
}

Facts CudaProfiler::counters(const std::function<void()>& call) {
  if (!plan_) {
    plan_ = std::make_unique<CounterPlan>(cupti(), chip_name(cupti(), options_.device),
                                          counter_availability(cupti()));
  }
  return counter_facts(count(cupti(), *plan_, call));
}

}  // namespace benanza
