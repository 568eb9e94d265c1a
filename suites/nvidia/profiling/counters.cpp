#include "suites/nvidia/profiling/counters.h"

#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/metrics/expression.h"
#include "suites/nvidia/device/check.h"
#include "suites/nvidia/device/driver.h"

namespace benanza::nvidia {
namespace {

constexpr std::array<const char*, 10> wanted{
    "sm__inst_executed_pipe_tensor_op_hmma.sum",
    "sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum",
    "sm__inst_executed_pipe_tensor_op_gmma.sum",
    "sm__inst_executed_pipe_tensor_op_imma.sum",
    "sm__inst_executed_pipe_tensor_op_dmma.sum",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "smsp__inst_executed.sum",
    "lts__t_sector_hit_rate.pct",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
};

/// A parameter struct of CUPTI with its size set.
template <class Parameters>
Parameters sized(std::size_t size) {
  Parameters parameters{};
  parameters.structSize = size;
  return parameters;
}

/// Range profiling of the current context during its lifetime.
class RangeProfiler {
 public:
  explicit RangeProfiler(const Cupti& cupti) : cupti_(cupti) {
    auto enable =
        sized<CUpti_RangeProfiler_Enable_Params>(CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE);
    const auto current = driver_function<PFN_cuCtxGetCurrent_v4000>("cuCtxGetCurrent", 4000);
    if (current == nullptr || current(&enable.ctx) != CUDA_SUCCESS) {
      throw ProfilerUnavailable("the driver does not tell its context");
    }
    cupti_.call<decltype(cuptiRangeProfilerEnable)>("cuptiRangeProfilerEnable", &enable);
    object_ = enable.pRangeProfilerObject;
  }
  ~RangeProfiler() {
    auto disable =
        sized<CUpti_RangeProfiler_Disable_Params>(CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE);
    disable.pRangeProfilerObject = object_;
    cupti_.function<decltype(cuptiRangeProfilerDisable)>("cuptiRangeProfilerDisable")(&disable);
  }
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;

  /// Empty counter data for one range.
  std::vector<std::uint8_t> counter_data(const CounterPlan& plan) {
    auto metrics = plan.metrics();
    auto size = sized<CUpti_RangeProfiler_GetCounterDataSize_Params>(
        CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE);
    size.pRangeProfilerObject = object_;
    size.pMetricNames = metrics.data();
    size.numMetrics = metrics.size();
    size.maxNumOfRanges = 1;
    size.maxNumRangeTreeNodes = 1;
    cupti_.call<decltype(cuptiRangeProfilerGetCounterDataSize)>(
        "cuptiRangeProfilerGetCounterDataSize", &size);
    std::vector<std::uint8_t> data(size.counterDataSize);
    auto initialize = sized<CUpti_RangeProfiler_CounterDataImage_Initialize_Params>(
        CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE);
    initialize.pRangeProfilerObject = object_;
    initialize.pCounterData = data.data();
    initialize.counterDataSize = data.size();
    cupti_.call<decltype(cuptiRangeProfilerCounterDataImageInitialize)>(
        "cuptiRangeProfilerCounterDataImageInitialize", &initialize);
    return data;
  }

  void configure(const CounterPlan& plan, std::vector<std::uint8_t>& data) {
    auto config = sized<CUpti_RangeProfiler_SetConfig_Params>(
        CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE);
    config.pRangeProfilerObject = object_;
    config.configSize = plan.image().size();
    config.pConfig = plan.image().data();
    config.counterDataImageSize = data.size();
    config.pCounterDataImage = data.data();
    config.range = CUPTI_UserRange;
    config.replayMode = CUPTI_UserReplay;
    config.maxRangesPerPass = 1;
    config.numNestingLevels = 1;
    config.minNestingLevel = 1;
    config.targetNestingLevel = 1;
    cupti_.call<decltype(cuptiRangeProfilerSetConfig)>("cuptiRangeProfilerSetConfig", &config);
  }

  /// Runs one pass of `work`. Returns true if it was the last.
  bool pass(const std::function<void()>& work, const std::function<void()>& prepare) {
    auto start =
        sized<CUpti_RangeProfiler_Start_Params>(CUpti_RangeProfiler_Start_Params_STRUCT_SIZE);
    start.pRangeProfilerObject = object_;
    cupti_.call<decltype(cuptiRangeProfilerStart)>("cuptiRangeProfilerStart", &start);
    // After the start, which may itself use the caches.
    prepare();
    synchronize_device();
    auto push = sized<CUpti_RangeProfiler_PushRange_Params>(
        CUpti_RangeProfiler_PushRange_Params_STRUCT_SIZE);
    push.pRangeProfilerObject = object_;
    push.pRangeName = "call";
    cupti_.call<decltype(cuptiRangeProfilerPushRange)>("cuptiRangeProfilerPushRange", &push);
    work();
    synchronize_device();
    auto pop =
        sized<CUpti_RangeProfiler_PopRange_Params>(CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE);
    pop.pRangeProfilerObject = object_;
    cupti_.call<decltype(cuptiRangeProfilerPopRange)>("cuptiRangeProfilerPopRange", &pop);
    auto stop = sized<CUpti_RangeProfiler_Stop_Params>(CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE);
    stop.pRangeProfilerObject = object_;
    cupti_.call<decltype(cuptiRangeProfilerStop)>("cuptiRangeProfilerStop", &stop);
    return stop.isAllPassSubmitted != 0;
  }

  void decode() {
    auto decode = sized<CUpti_RangeProfiler_DecodeData_Params>(
        CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE);
    decode.pRangeProfilerObject = object_;
    cupti_.call<decltype(cuptiRangeProfilerDecodeData)>("cuptiRangeProfilerDecodeData", &decode);
  }

 private:
  const Cupti& cupti_;
  CUpti_RangeProfiler_Object* object_ = nullptr;
};

}  // namespace

CounterPlan::CounterPlan(const Cupti& cupti, const std::string& chip,
                         std::vector<std::uint8_t> availability,
                         const std::vector<std::string>& more)
    : cupti_(cupti), availability_(std::move(availability)), host_(nullptr, Close{&cupti}) {
  // A single unknown name would make the whole list fail, so each is tried on its own.
  std::vector<std::string> candidates(wanted.begin(), wanted.end());
  candidates.insert(candidates.end(), more.begin(), more.end());
  for (const std::string& metric : candidates) {
    if (std::find(names_.begin(), names_.end(), metric) != names_.end()) continue;
    const Host probe = open(chip);
    try {
      add(probe, {metric.c_str()});
      names_.push_back(metric);
    } catch (const ProfilerUnavailable&) {
      // The chip lacks it.
    }
  }
  for (const std::string& name : names_) metrics_.push_back(name.c_str());
  if (metrics_.empty()) throw ProfilerUnavailable("CUPTI knows no counter of " + chip);
  host_ = open(chip);
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

CounterPlan::Host CounterPlan::open(const std::string& chip) const {
  auto parameters = sized<CUpti_Profiler_Host_Initialize_Params>(
      CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE);
  parameters.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  parameters.pChipName = chip.c_str();
  parameters.pCounterAvailabilityImage = availability_.empty() ? nullptr : availability_.data();
  cupti_.call<decltype(cuptiProfilerHostInitialize)>("cuptiProfilerHostInitialize", &parameters);
  return Host(parameters.pHostObject, Close{&cupti_});
}

void CounterPlan::Close::operator()(CUpti_Profiler_Host_Object* host) const {
  auto parameters = sized<CUpti_Profiler_Host_Deinitialize_Params>(
      CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE);
  parameters.pHostObject = host;
  cupti->function<decltype(cuptiProfilerHostDeinitialize)>("cuptiProfilerHostDeinitialize")(
      &parameters);
}

void CounterPlan::add(const Host& host, std::vector<const char*> metrics) const {
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

CounterValues CounterPlan::values(const std::vector<std::uint8_t>& counter_data) const {
  auto metrics = metrics_;
  std::vector<double> numbers(metrics.size());
  auto parameters = sized<CUpti_Profiler_Host_EvaluateToGpuValues_Params>(
      CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE);
  parameters.pHostObject = host_.get();
  parameters.pCounterDataImage = counter_data.data();
  parameters.counterDataImageSize = counter_data.size();
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

CounterValues count(const Cupti& cupti, const CounterPlan& plan, const std::function<void()>& work,
                    const std::function<void()>& prepare) {
  RangeProfiler profiler(cupti);
  std::vector<std::uint8_t> data = profiler.counter_data(plan);
  profiler.configure(plan, data);
  const std::size_t limit = plan.passes() + 1;
  std::size_t taken = 0;
  while (!profiler.pass(work, prepare)) {
    if (++taken > limit) throw ProfilerUnavailable("CUPTI asks for more passes than it planned");
  }
  profiler.decode();
  return plan.values(data);
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

Facts counter_facts(const CounterValues& values) {
  Facts facts;
  const auto value = [&](const char* metric) -> std::optional<double> {
    const auto found = values.find(metric);
    if (found == values.end()) return std::nullopt;
    return found->second;
  };
  const auto copy = [&](const char* metric, const char* fact) {
    if (const auto number = value(metric)) facts[fact] = *number;
  };
  copy("dram__bytes_read.sum", "dram_read_bytes");
  copy("dram__bytes_write.sum", "dram_written_bytes");
  copy("smsp__inst_executed.sum", "instructions");
  copy("lts__t_sector_hit_rate.pct", "l2_hit_percent");
  copy("sm__warps_active.avg.pct_of_peak_sustained_active", "active_warps_percent");

  const auto hmma = value("sm__inst_executed_pipe_tensor_op_hmma.sum");
  const auto packed = value("sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum");
  const auto imma = value("sm__inst_executed_pipe_tensor_op_imma.sum");
  if (hmma && packed && imma) {
    const double instructions = *hmma - *packed + *imma +
                                value("sm__inst_executed_pipe_tensor_op_dmma.sum").value_or(0) +
                                value("sm__inst_executed_pipe_tensor_op_gmma.sum").value_or(0);
    facts["tensor_core_instructions"] = instructions;
    facts["tensor_core_counted"] = instructions > 0;
  }
  return facts;
}

std::vector<std::string> needed_counters(std::vector<std::string> names,
                                         const std::vector<std::string>& metrics) {
  for (const std::string& text : metrics) {
    const Metric metric = parse_metric(text);
    for (const std::string& name : metric.expression.names()) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

Facts metric_facts(const CounterValues& values, const std::vector<std::string>& names,
                   const std::vector<std::string>& metrics) {
  Facts facts;
  const auto value = [&](std::string_view name) -> std::optional<double> {
    const auto found = values.find(std::string(name));
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
  for (const std::string& name : names) {
    if (const auto number = value(name)) facts["counter_" + name] = *number;
  }
  for (const std::string& text : metrics) {
    const Metric metric = parse_metric(text);
    if (const auto number = metric.expression.value(value)) {
      facts["metric_" + metric.name] = *number;
    }
  }
  return facts;
}

}  // namespace benanza::nvidia
