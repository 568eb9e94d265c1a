#include "core/nvidia/counter_list.h"

#include <cuda.h>
#include <cupti_profiler_host.h>

#include <algorithm>

#include "core/nvidia/counter_host.h"
#include "core/nvidia/counter_plan.h"
#include "core/nvidia/cupti_parameters.h"
#include "core/nvidia/shared_library.h"

namespace benanza::nvidia {
namespace {

std::string endings_of(const Cupti& cupti, const CounterHost& host, CUpti_MetricType type,
                       const char* name) {
  auto parameters = sized<CUpti_Profiler_Host_GetSubMetrics_Params>(
      CUpti_Profiler_Host_GetSubMetrics_Params_STRUCT_SIZE);
  parameters.pHostObject = host.get();
  parameters.metricType = type;
  parameters.pMetricName = name;
  cupti.call<decltype(cuptiProfilerHostGetSubMetrics)>("cuptiProfilerHostGetSubMetrics",
                                                       &parameters);
  std::string all;
  std::string simple;
  for (std::size_t at = 0; at < parameters.numOfSubmetrics; ++at) {
    const std::string ending = parameters.ppSubMetrics[at];
    all += (all.empty() ? "" : " ") + ending;
    // ".sum.pct_of_peak_sustained_active" and its like exist for every counter.
    if (std::ranges::count(ending, '.') == 1) simple += (simple.empty() ? "" : " ") + ending;
  }
  return simple.empty() ? all : simple;
}

}  // namespace

std::vector<CounterDescription> list_counters(const Cupti& cupti, const std::string& chip) {
  const CounterHost host = open_counter_host(cupti, chip, {});
  std::vector<CounterDescription> list;
  for (const CUpti_MetricType type :
       {CUPTI_METRIC_TYPE_COUNTER, CUPTI_METRIC_TYPE_RATIO, CUPTI_METRIC_TYPE_THROUGHPUT}) {
    auto names = sized<CUpti_Profiler_Host_GetBaseMetrics_Params>(
        CUpti_Profiler_Host_GetBaseMetrics_Params_STRUCT_SIZE);
    names.pHostObject = host.get();
    names.metricType = type;
    cupti.call<decltype(cuptiProfilerHostGetBaseMetrics)>("cuptiProfilerHostGetBaseMetrics",
                                                          &names);
    for (std::size_t at = 0; at < names.numMetrics; ++at) {
      auto properties = sized<CUpti_Profiler_Host_GetMetricProperties_Params>(
          CUpti_Profiler_Host_GetMetricProperties_Params_STRUCT_SIZE);
      properties.pHostObject = host.get();
      properties.pMetricName = names.ppMetricNames[at];
      cupti.call<decltype(cuptiProfilerHostGetMetricProperties)>(
          "cuptiProfilerHostGetMetricProperties", &properties);
      const char* const description = properties.pDescription;
      list.push_back({.name = names.ppMetricNames[at],
                      .description = description == nullptr ? "" : description,
                      .endings = endings_of(cupti, host, type, names.ppMetricNames[at])});
    }
  }
  std::ranges::sort(list, {}, &CounterDescription::name);
  return list;
}

std::vector<std::string> known_chips(const Cupti& cupti) {
  auto parameters = sized<CUpti_Profiler_Host_GetSupportedChips_Params>(
      CUpti_Profiler_Host_GetSupportedChips_Params_STRUCT_SIZE);
  cupti.call<decltype(cuptiProfilerHostGetSupportedChips)>("cuptiProfilerHostGetSupportedChips",
                                                           &parameters);
  return {parameters.ppChipNames, parameters.ppChipNames + parameters.numChips};
}

std::string chip_of_first_gpu(const Cupti& cupti) {
  try {
    // Never closed: CUPTI goes on using it.
    const auto* const driver = new SharedLibrary{"libcuda.so.1"};
    if (driver->symbol<decltype(cuInit)>("cuInit")(0) != CUDA_SUCCESS) {
      throw ProfilerUnavailable("the driver finds no GPU");
    }
  } catch (const ProfilerUnavailable&) {
    throw;
  } catch (const std::runtime_error&) {
    throw ProfilerUnavailable("there is no driver of a GPU");
  }
  return chip_name(cupti, 0);
}

}  // namespace benanza::nvidia
