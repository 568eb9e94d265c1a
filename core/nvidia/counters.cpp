#include "core/nvidia/counters.h"

#include <cuda.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_target.h>

#include <algorithm>

#include "core/nvidia/cupti.h"
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

CounterHost open_counter_host(const Cupti& cupti, const std::string& chip,
                              const std::vector<std::uint8_t>& availability) {
  auto parameters = sized<CUpti_Profiler_Host_Initialize_Params>(
      CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE);
  parameters.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  parameters.pChipName = chip.c_str();
  parameters.pCounterAvailabilityImage = availability.empty() ? nullptr : availability.data();
  cupti.call<decltype(cuptiProfilerHostInitialize)>("cuptiProfilerHostInitialize", &parameters);
  return CounterHost(parameters.pHostObject, CloseCounterHost{&cupti});
}

void CloseCounterHost::operator()(CUpti_Profiler_Host_Object* host) const {
  auto parameters = sized<CUpti_Profiler_Host_Deinitialize_Params>(
      CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE);
  parameters.pHostObject = host;
  cupti->function<decltype(cuptiProfilerHostDeinitialize)>("cuptiProfilerHostDeinitialize")(
      &parameters);
}

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

CounterPlan::CounterPlan(const Cupti& cupti, const std::string& chip,
                         std::vector<std::uint8_t> availability,
                         const std::vector<std::string>& wanted)
    : cupti_(cupti),
      availability_(std::move(availability)),
      host_(nullptr, CloseCounterHost{&cupti}) {
  // A single unknown name would make the whole list fail, so each is tried on its own.
  for (const std::string& metric : wanted) {
    if (std::ranges::find(names_, metric) != names_.end()) continue;
    const CounterHost probe = open_counter_host(cupti_, chip, availability_);
    try {
      add(probe, {metric.c_str()});
      names_.push_back(metric);
    } catch (const ProfilerUnavailable&) {
      // The chip lacks it.
    }
  }
  for (const std::string& name : names_) metrics_.push_back(name.c_str());
  if (metrics_.empty()) throw ProfilerUnavailable("CUPTI knows no counter of " + chip);
  host_ = open_counter_host(cupti_, chip, availability_);
  add(host_, metrics_);

  auto size = sized<CUpti_Profiler_Host_GetConfigImageSize_Params>(
      CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE);
  size.pHostObject = host_.get();
  cupti_.call<decltype(cuptiProfilerHostGetConfigImageSize)>("cuptiProfilerHostGetConfigImageSize",
                                                             &size);
  image_.resize(size.configImageSize);
  auto image = sized<CUpti_Profiler_Host_GetConfigImage_Params>(
      CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE);
  image.pHostObject = host_.get();
  image.configImageSize = image_.size();
  image.pConfigImage = image_.data();
  cupti_.call<decltype(cuptiProfilerHostGetConfigImage)>("cuptiProfilerHostGetConfigImage", &image);
}

void CounterPlan::add(const CounterHost& host, std::vector<const char*> metrics) const {
  auto parameters = sized<CUpti_Profiler_Host_ConfigAddMetrics_Params>(
      CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE);
  parameters.pHostObject = host.get();
  parameters.ppMetricNames = metrics.data();
  parameters.numMetrics = metrics.size();
  cupti_.call<decltype(cuptiProfilerHostConfigAddMetrics)>("cuptiProfilerHostConfigAddMetrics",
                                                           &parameters);
}

std::size_t CounterPlan::passes() const {
  auto image = image_;
  auto parameters = sized<CUpti_Profiler_Host_GetNumOfPasses_Params>(
      CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE);
  parameters.configImageSize = image.size();
  parameters.pConfigImage = image.data();
  cupti_.call<decltype(cuptiProfilerHostGetNumOfPasses)>("cuptiProfilerHostGetNumOfPasses",
                                                         &parameters);
  return parameters.numOfPasses;
}

CounterValues CounterPlan::values(const std::vector<std::uint8_t>& counter_data,
                                  std::size_t range) const {
  auto metrics = metrics_;
  std::vector<double> numbers(metrics.size());
  auto parameters = sized<CUpti_Profiler_Host_EvaluateToGpuValues_Params>(
      CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE);
  parameters.pHostObject = host_.get();
  parameters.pCounterDataImage = counter_data.data();
  parameters.counterDataImageSize = counter_data.size();
  parameters.rangeIndex = range;
  parameters.ppMetricNames = metrics.data();
  parameters.numMetrics = metrics.size();
  parameters.pMetricValues = numbers.data();
  cupti_.call<decltype(cuptiProfilerHostEvaluateToGpuValues)>(
      "cuptiProfilerHostEvaluateToGpuValues", &parameters);
  CounterValues values;
  for (std::size_t index = 0; index < metrics.size(); ++index) {
    values[metrics[index]] = numbers[index];
  }
  return values;
}

std::string chip_name(const Cupti& cupti, int device) {
  auto parameters =
      sized<CUpti_Device_GetChipName_Params>(CUpti_Device_GetChipName_Params_STRUCT_SIZE);
  parameters.deviceIndex = static_cast<std::size_t>(device);
  cupti.call<decltype(cuptiDeviceGetChipName)>("cuptiDeviceGetChipName", &parameters);
  return parameters.pChipName;
}

std::vector<std::uint8_t> counter_availability(const Cupti& cupti) {
  auto initialize =
      sized<CUpti_Profiler_Initialize_Params>(CUpti_Profiler_Initialize_Params_STRUCT_SIZE);
  cupti.call<decltype(cuptiProfilerInitialize)>("cuptiProfilerInitialize", &initialize);
  auto parameters = sized<CUpti_Profiler_GetCounterAvailability_Params>(
      CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE);
  const auto ask = [&] {
    cupti.call<decltype(cuptiProfilerGetCounterAvailability)>("cuptiProfilerGetCounterAvailability",
                                                              &parameters);
  };
  ask();
  std::vector<std::uint8_t> image(parameters.counterAvailabilityImageSize);
  parameters.pCounterAvailabilityImage = image.data();
  ask();
  return image;
}

}  // namespace benanza::nvidia
