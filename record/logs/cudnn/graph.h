#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "record/logs/shared/entry.h"

namespace benanza::record {

/// "POINTWISE" of CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR.
std::string_view operation_name(const Entry& operation);

/// What a graph of cuDNN does to each element of its first operation's result: every other
/// operation is elementwise and takes the result of the one before. A second tensor is known
/// beforehand if it has one value per channel. Empty for other graphs, for functions or parameters
/// that no Step has, and for numbers, whose values the log does not contain.
struct GraphEpilogue {
  Epilogue epilogue{};
  /// The residual is added before the bias, which the suites call "residual.".
  bool residual_first = false;
};
std::optional<GraphEpilogue> epilogue_of(const std::vector<Entry>& operations);

}  // namespace benanza::record
