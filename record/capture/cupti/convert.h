#pragma once

#include <cupti.h>

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "core/nvidia/cupti.h"
#include "record/store/device_events.h"

namespace benanza::record {

/// Returns the name of a call, e.g. "cudaLaunchKernel"; see CUPTI's cuptiGetCallbackName.
using CallName = std::function<const char*(CUpti_CallbackDomain domain, CUpti_CallbackId id)>;

/// Converts a CUPTI activity record, with the layout of CUPTI 13.0. Empty for kinds that are not
/// recorded and for records without timestamps. The event's strings live as long as the record's.
std::optional<Event> event_of(const CUpti_Activity& record, const CallName& call_name);

/// Returns whether a call of the CUDA runtime or driver ("cudaLaunchKernel_v7000",
/// "cuMemcpyHtoD_v2", as CUPTI names them) is recorded. Recorded calls launch work on a device,
/// wait for it, allocate or free memory, or create, change or destroy streams, events, graphs,
/// contexts and modules. Queries (cudaGetDevice, cudaPeekAtLastError, cuKernelGetAttribute,
/// cudaEventQuery) are not recorded: a framework makes dozens of them for each launch, and each
/// record costs about as much as the call itself.
bool is_recorded_call(std::string_view name);

/// The callback ids of these calls in the loaded CUPTI, for the runtime
/// (CUPTI_CB_DOMAIN_RUNTIME_API) or the driver (CUPTI_CB_DOMAIN_DRIVER_API). Ascending.
std::vector<CUpti_CallbackId> recorded_calls(CUpti_CallbackDomain domain,
                                             const CallName& call_name);

/// Enables records of these calls, for the whole run: CUPTI 13.0 accepts it inside of a range, too,
/// but then reports no call. A call that this driver lacks is passed over.
void enable_recorded_calls(const nvidia::Cupti& cupti, const CallName& call_name);

}  // namespace benanza::record
