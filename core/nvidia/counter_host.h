#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/nvidia/cupti.h"

struct CUpti_Profiler_Host_Object;

namespace benanza::nvidia {

struct CloseCounterHost {
  const Cupti* cupti;
  void operator()(CUpti_Profiler_Host_Object* host) const;
};
/// What CUPTI knows of the counters of a chip. Needs no GPU.
using CounterHost = std::unique_ptr<CUpti_Profiler_Host_Object, CloseCounterHost>;

/// `chip`: CUPTI's name, "GH100". `availability`: the device's counter availability image, or
/// empty. Throws ProfilerUnavailable.
CounterHost open_counter_host(const Cupti& cupti, const std::string& chip,
                              const std::vector<std::uint8_t>& availability);

}  // namespace benanza::nvidia
