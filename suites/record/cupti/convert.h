#pragma once

#include <cupti.h>

#include <functional>
#include <optional>

#include "core/recording/device_events.h"

namespace benanza::record {

/// The name of a call, "cudaLaunchKernel": CUPTI's cuptiGetCallbackName.
using CallName = std::function<const char*(CUpti_CallbackDomain domain, CUpti_CallbackId id)>;

/// One of CUPTI's records, as CUPTI 13.0 lays them out. Empty for kinds that are not recorded, and
/// for records without times. Names live as long as the record's.
std::optional<Event> event_of(const CUpti_Activity& record, const CallName& call_name);

}  // namespace benanza::record
