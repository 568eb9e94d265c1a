#pragma once

#include <cusparse.h>

#include <source_location>
#include <string>
#include <string_view>

#include "suites/nvidia/device/handles.h"
#include "suites/nvidia/run/library.h"

namespace benanza::cusparse {

nvidia::Handle<cusparseHandle_t, &cusparseDestroy> open_handle(nvidia::CudaContext& context);
/// cuSPARSE on one GPU.
using Library = nvidia::OneHandleLibrary<cusparseHandle_t, &open_handle, &cusparseDestroy>;

/// The version of the loaded library, "12.6.3"; needs no device.
std::string version();

/// Returns on success. Otherwise throws Unsupported, with the library's message, OutOfMemory,
/// DeviceLost if the device is to blame, or else std::runtime_error.
void check(cusparseStatus_t status, std::string_view call,
           std::source_location where = std::source_location::current());

}  // namespace benanza::cusparse
