#pragma once

#include "core/api_log/api_log.h"
#include "core/api_log/entry.h"

namespace benanza::api_log {

/// The call that `entry` logs, with or without a problem; empty if it is of another library or lets
/// no device work. Of cuBLAS products alone.
std::optional<LibraryCall> cudnn_call(const Entry& entry);
std::optional<LibraryCall> cublas_call(const Entry& entry);
/// The same of a line of cuBLASLt's trace level.
std::optional<LibraryCall> cublaslt_call(std::string_view line);

}  // namespace benanza::api_log
