// The counters of the CUPTI without a GPU: "fake__letters.sum" is the length of a kernel's name,
// "fake__threads.sum" its threads, "gpu__time_duration.sum" 500. There are no others.
#include "record/tests/capture/cupti/fake/fake_profiler.h"

#include <cupti.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <csignal>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fake {
namespace {

CUpti_CallbackFunc callback = nullptr;
void* user = nullptr;
bool is_listening = false;
bool is_enabled = false;
bool is_started = false;
/// Since the configuration was set.
std::vector<std::map<std::string, double>> ranges;

void tell(CUpti_CallbackId id, CUpti_ApiCallbackSite site, const void* parameters,
          const char* symbol, std::uint32_t correlation = 0) {
  if (callback == nullptr || !is_listening) return;
  CUresult result = CUDA_SUCCESS;
  CUpti_CallbackData data{};
  data.callbackSite = site;
  data.functionParams = parameters;
  data.functionReturnValue = &result;
  data.symbolName = symbol;
  data.context = reinterpret_cast<CUcontext>(1);
  data.correlationId = correlation;
  callback(user, CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
}

}  // namespace

void subscribe(CUpti_CallbackFunc function, void* argument) {
  callback = function;
  user = argument;
}

void launch(const char* kernel) {
  cuLaunchKernel_params parameters{};
  parameters.gridDimX = 2;
  parameters.gridDimY = parameters.gridDimZ = 1;
  parameters.blockDimX = 32;
  parameters.blockDimY = parameters.blockDimZ = 1;
  static std::uint32_t correlation = 1;
  ++correlation;
  tell(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_API_ENTER, &parameters, kernel, correlation);
  // A launch inside of the launch is not the end of it.
  tell(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_API_ENTER, &parameters, "inner", 1);
  tell(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_API_EXIT, &parameters, "inner", 1);
  if (is_started) {
    ranges.push_back({{"fake__letters.sum", static_cast<double>(std::strlen(kernel))},
                      {"fake__threads.sum", 64},
                      {"gpu__time_duration.sum", 500}});
  }
  tell(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_API_EXIT, &parameters, kernel, correlation);
}

void launch_graph() {
  const cuGraphLaunch_params parameters{};
  tell(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, CUPTI_API_ENTER, &parameters, nullptr);
  // A graph must not be launched while counters are enabled.
  if (is_enabled) ::raise(SIGSEGV);
  tell(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, CUPTI_API_EXIT, &parameters, nullptr);
}

}  // namespace fake

extern "C" {

CUptiResult cuptiEnableCallback(std::uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain,
                                CUpti_CallbackId) {
  fake::is_listening = true;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetDeviceId(CUcontext, std::uint32_t* device) {
  *device = 0;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* parameters) {
  parameters->pChipName = "FAKE100";
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params*) { return CUPTI_SUCCESS; }
CUptiResult cuptiProfilerGetCounterAvailability(
    CUpti_Profiler_GetCounterAvailability_Params* parameters) {
  parameters->counterAvailabilityImageSize = 1;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params* parameters) {
  parameters->pHostObject = reinterpret_cast<CUpti_Profiler_Host_Object*>(1);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params*) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostConfigAddMetrics(
    CUpti_Profiler_Host_ConfigAddMetrics_Params* parameters) {
  for (std::size_t at = 0; at < parameters->numMetrics; ++at) {
    const std::string_view name = parameters->ppMetricNames[at];
    if (name != "fake__letters.sum" && name != "fake__threads.sum" &&
        name != "gpu__time_duration.sum") {
      return CUPTI_ERROR_INVALID_METRIC_NAME;
    }
  }
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostGetConfigImageSize(
    CUpti_Profiler_Host_GetConfigImageSize_Params* parameters) {
  parameters->configImageSize = 1;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params*) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params* parameters) {
  parameters->numOfPasses = 3;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostEvaluateToGpuValues(
    CUpti_Profiler_Host_EvaluateToGpuValues_Params* parameters) {
  const auto& range = fake::ranges.at(parameters->rangeIndex);
  for (std::size_t at = 0; at < parameters->numMetrics; ++at) {
    parameters->pMetricValues[at] = range.at(parameters->ppMetricNames[at]);
  }
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params* parameters) {
  fake::is_enabled = true;
  parameters->pRangeProfilerObject = reinterpret_cast<CUpti_RangeProfiler_Object*>(1);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params*) {
  fake::is_enabled = false;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerGetCounterDataSize(
    CUpti_RangeProfiler_GetCounterDataSize_Params* parameters) {
  parameters->counterDataSize = 1;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerCounterDataImageInitialize(
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params*) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params*) {
  fake::ranges.clear();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params*) {
  fake::is_started = true;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params* parameters) {
  fake::is_started = false;
  parameters->isAllPassSubmitted = 1;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params*) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerGetCounterDataInfo(
    CUpti_RangeProfiler_GetCounterDataInfo_Params* parameters) {
  parameters->numTotalRanges = fake::ranges.size();
  return CUPTI_SUCCESS;
}
}
