#include "suites/nvidia/profiling/profiler.h"

#include <algorithm>

namespace benanza::nvidia {
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
