#pragma once

#include <cutensor.h>

#include <source_location>
#include <string>
#include <string_view>

#include "suites/nvidia/device/handles.h"
#include "suites/nvidia/run/library.h"

namespace benanza::cutensor {

nvidia::Handle<cutensorHandle_t, &cutensorDestroy> open_handle(nvidia::CudaContext& context);
/// cuTENSOR on one GPU.
using Library = nvidia::OneHandleLibrary<cutensorHandle_t, &open_handle, &cutensorDestroy>;

/// The version of the loaded library, "2.3.1"; needs no device.
std::string version();

/// Returns on success. Otherwise throws Unsupported, with the library's message, OutOfMemory,
/// DeviceLost if the device is to blame, or else std::runtime_error.
void check(cutensorStatus_t status, std::string_view call,
           std::source_location where = std::source_location::current());

}  // namespace benanza::cutensor
