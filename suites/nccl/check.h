#pragma once

#include <nccl.h>

#include <source_location>
#include <string_view>

namespace benanza::nccl {

/// Returns if `status` is ncclSuccess. Otherwise throws DeviceLost if a GPU has a sticky error,
/// else std::runtime_error, with the call, the library's message, file and line.
void check(ncclResult_t status, std::string_view call,
           std::source_location where = std::source_location::current());

}  // namespace benanza::nccl
