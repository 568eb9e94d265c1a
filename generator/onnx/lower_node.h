#pragma once

#include <string>

#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {

/// The layer of a node: tries the constants first, then what is known of the operator. Sets
/// everything but the name, the inputs and who reads it. Throws Error, without the node's name.
LoweredLayer lower_node(const NodeView& node, const OperatorTable& operators,
                        bool all_outputs_constant);

/// The layer of a node that has no expression here, for the given reason.
LoweredLayer unsupported_layer(const NodeView& node, std::string reason);

}  // namespace benanza::onnx
