#pragma once

#include "core/api_log/api_log.h"
#include "core/api_log/entry.h"

namespace benanza::api_log {

/// The call that `entry` logs; empty if it is of another library or does no layer's work.
std::optional<LibraryCall> cudnn_call(const Entry& entry);
std::optional<LibraryCall> cublas_call(const Entry& entry);
/// The same of a line of cuBLASLt's trace level.
std::optional<LibraryCall> cublaslt_call(std::string_view line);

}  // namespace benanza::api_log
