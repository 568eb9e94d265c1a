#pragma once

#include <cublas_v2.h>

#include <source_location>
#include <string_view>

namespace benanza::cublas {

/// Returns on success. Otherwise throws Unsupported, with the library's message, OutOfMemory,
/// DeviceLost if the device is to blame, or else std::runtime_error.
void check(cublasStatus_t status, std::string_view call,
           std::source_location where = std::source_location::current());

}  // namespace benanza::cublas
