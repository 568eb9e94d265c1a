#pragma once

#include <nccl.h>

#include <source_location>
#include <string_view>

namespace benanza::nccl {

/// Returns if `status` is ncclSuccess. Otherwise throws DeviceLost if a GPU met a sticky error, and
/// std::runtime_error if not: what was called, the library's words, file and line.
void check(ncclResult_t status, std::string_view call,
           std::source_location where = std::source_location::current());

}  // namespace benanza::nccl
