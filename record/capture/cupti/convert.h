#pragma once

#include <cupti.h>

#include <functional>
#include <optional>

#include "record/store/device_events.h"

namespace benanza::record {

/// Returns the name of a call, e.g. "cudaLaunchKernel"; see CUPTI's cuptiGetCallbackName.
using CallName = std::function<const char*(CUpti_CallbackDomain domain, CUpti_CallbackId id)>;

/// Converts a CUPTI activity record, with the layout of CUPTI 13.0. Empty for kinds that are not
/// recorded and for records without timestamps. The event's strings live as long as the record's.
std::optional<Event> event_of(const CUpti_Activity& record, const CallName& call_name);

}  // namespace benanza::record
