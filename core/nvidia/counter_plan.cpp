#include "core/nvidia/counter_plan.h"

#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_target.h>

#include <algorithm>

#include "core/nvidia/cupti_parameters.h"

namespace benanza::nvidia {

CounterPlan::CounterPlan(const Cupti& cupti, const std::string& chip,
                         std::vector<std::uint8_t> availability,
                         const std::vector<std::string>& wanted)
    : cupti_(cupti),
      availability_(std::move(availability)),
      host_(nullptr, CloseCounterHost{&cupti}) {
  // A single unknown name would make the whole list fail, so each is tried on its own.
  for (const std::string& metric : wanted) {
    if (std::find(names_.begin(), names_.end(), metric) != names_.end()) continue;
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
