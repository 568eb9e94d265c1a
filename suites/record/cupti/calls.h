#pragma once

#include <cupti.h>

#include <string_view>
#include <vector>

#include "suites/record/cupti/convert.h"

namespace benanza::record {

/// Is a call of the CUDA runtime or driver ("cudaLaunchKernel_v7000", "cuMemcpyHtoD_v2", as CUPTI
/// names them) one that is recorded? Those are that put work on a device, wait for it, take or give
/// back memory, make, change or end streams, events, graphs, contexts and modules. Questions
/// (cudaGetDevice, cudaPeekAtLastError, cuKernelGetAttribute, cudaEventQuery) are not: a framework
/// asks dozens for each launch, and each record costs about as much as the call itself.
bool is_recorded_call(std::string_view name);

/// The numbers of these calls in the CUPTI that is loaded: of the runtime
/// (CUPTI_CB_DOMAIN_RUNTIME_API) or the driver (CUPTI_CB_DOMAIN_DRIVER_API). Ascending.
std::vector<CUpti_CallbackId> recorded_calls(CUpti_CallbackDomain domain,
                                             const CallName& call_name);

}  // namespace benanza::record
