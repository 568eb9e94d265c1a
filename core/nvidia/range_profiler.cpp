#include "core/nvidia/range_profiler.h"

#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>

#include "core/nvidia/cupti.h"

namespace benanza::nvidia {

RangeProfiler::RangeProfiler(const Cupti& cupti, CUcontext context, const CounterPlan& plan,
                             Ranges ranges)
    : cupti_(cupti), plan_(plan), ranges_(ranges) {
  auto enable =
      sized<CUpti_RangeProfiler_Enable_Params>(CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE);
  enable.ctx = context;
  cupti_.call<decltype(cuptiRangeProfilerEnable)>("cuptiRangeProfilerEnable", &enable);
  object_ = enable.pRangeProfilerObject;
}

RangeProfiler::~RangeProfiler() {
  auto disable =
      sized<CUpti_RangeProfiler_Disable_Params>(CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE);
  disable.pRangeProfilerObject = object_;
  cupti_.function<decltype(cuptiRangeProfilerDisable)>("cuptiRangeProfilerDisable")(&disable);
}

void RangeProfiler::configure(std::size_t most) {
  auto metrics = plan_.metrics();
  auto size = sized<CUpti_RangeProfiler_GetCounterDataSize_Params>(
      CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE);
  size.pRangeProfilerObject = object_;
  size.pMetricNames = metrics.data();
  size.numMetrics = metrics.size();
  size.maxNumOfRanges = most;
  size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(most);
  cupti_.call<decltype(cuptiRangeProfilerGetCounterDataSize)>(
      "cuptiRangeProfilerGetCounterDataSize", &size);
  data_.resize(size.counterDataSize);
  auto initialize = sized<CUpti_RangeProfiler_CounterDataImage_Initialize_Params>(
      CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE);
  initialize.pRangeProfilerObject = object_;
  initialize.pCounterData = data_.data();
  initialize.counterDataSize = data_.size();
  cupti_.call<decltype(cuptiRangeProfilerCounterDataImageInitialize)>(
      "cuptiRangeProfilerCounterDataImageInitialize", &initialize);

  const bool by_kernel = ranges_ == Ranges::by_kernel;
  auto config =
      sized<CUpti_RangeProfiler_SetConfig_Params>(CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE);
  config.pRangeProfilerObject = object_;
  config.configSize = plan_.image().size();
  config.pConfig = plan_.image().data();
  config.counterDataImageSize = data_.size();
  config.pCounterDataImage = data_.data();
  config.range = by_kernel ? CUPTI_AutoRange : CUPTI_UserRange;
  config.replayMode = by_kernel ? CUPTI_KernelReplay : CUPTI_UserReplay;
  config.maxRangesPerPass = most;
  config.numNestingLevels = 1;
  config.minNestingLevel = 1;
  config.targetNestingLevel = by_kernel ? 0 : 1;
  cupti_.call<decltype(cuptiRangeProfilerSetConfig)>("cuptiRangeProfilerSetConfig", &config);
}

void RangeProfiler::start() {
  auto start =
      sized<CUpti_RangeProfiler_Start_Params>(CUpti_RangeProfiler_Start_Params_STRUCT_SIZE);
  start.pRangeProfilerObject = object_;
  cupti_.call<decltype(cuptiRangeProfilerStart)>("cuptiRangeProfilerStart", &start);
}

void RangeProfiler::push(const char* name) {
  auto push =
      sized<CUpti_RangeProfiler_PushRange_Params>(CUpti_RangeProfiler_PushRange_Params_STRUCT_SIZE);
  push.pRangeProfilerObject = object_;
  push.pRangeName = name;
  cupti_.call<decltype(cuptiRangeProfilerPushRange)>("cuptiRangeProfilerPushRange", &push);
}

void RangeProfiler::pop() {
  auto pop =
      sized<CUpti_RangeProfiler_PopRange_Params>(CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE);
  pop.pRangeProfilerObject = object_;
  cupti_.call<decltype(cuptiRangeProfilerPopRange)>("cuptiRangeProfilerPopRange", &pop);
}

bool RangeProfiler::stop() {
  auto stop = sized<CUpti_RangeProfiler_Stop_Params>(CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE);
  stop.pRangeProfilerObject = object_;
  cupti_.call<decltype(cuptiRangeProfilerStop)>("cuptiRangeProfilerStop", &stop);
  return stop.isAllPassSubmitted != 0;
}

std::vector<CounterValues> RangeProfiler::take() {
  auto decode = sized<CUpti_RangeProfiler_DecodeData_Params>(
      CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE);
  decode.pRangeProfilerObject = object_;
  cupti_.call<decltype(cuptiRangeProfilerDecodeData)>("cuptiRangeProfilerDecodeData", &decode);
  auto info = sized<CUpti_RangeProfiler_GetCounterDataInfo_Params>(
      CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE);
  info.pCounterDataImage = data_.data();
  info.counterDataImageSize = data_.size();
  cupti_.call<decltype(cuptiRangeProfilerGetCounterDataInfo)>(
      "cuptiRangeProfilerGetCounterDataInfo", &info);
  std::vector<CounterValues> values;
  for (std::size_t range = 0; range < info.numTotalRanges; ++range) {
    values.push_back(plan_.values(data_, range));
  }
  return values;
}

}  // namespace benanza::nvidia
