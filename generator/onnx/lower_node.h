#pragma once

#include <string>

#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {

/// Lowers a node to a layer: free if all its outputs are constant, otherwise as its operator is
/// lowered, unsupported if that throws NotExpressible. Leaves the name, the inputs and the uses to
/// the caller. Throws Error, without the node's name.
LoweredLayer lower_node(const NodeView& node, const OperatorTable& operators,
                        bool all_outputs_constant);

/// An unsupported layer for the node, with the given reason.
LoweredLayer unsupported_layer(const NodeView& node, std::string reason);

}  // namespace benanza::onnx
