#include "core/nvidia/counter_host.h"

#include <cupti_profiler_host.h>

#include "core/nvidia/cupti_parameters.h"

namespace benanza::nvidia {

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

}  // namespace benanza::nvidia
