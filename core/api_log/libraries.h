#pragma once

#include "core/api_log/api_log.h"
#include "core/api_log/entry.h"

namespace benanza::api_log {

/// The call that `entry` logs, with or without a problem; empty if it belongs to another library or
/// does no work on a device. For cuBLAS only products.
std::optional<LibraryCall> cudnn_call(const Entry& entry);
std::optional<LibraryCall> cublas_call(const Entry& entry);
/// The same for a line of cuBLASLt's trace level.
std::optional<LibraryCall> cublaslt_call(std::string_view line);

}  // namespace benanza::api_log
