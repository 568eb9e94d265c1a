#pragma once

#include <string>

#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {

/// Lowers a node: to a free layer if all its outputs are constant, to an unsupported one if it is
/// NotExpressible. Leaves name, inputs and uses to the caller. Throws Error, without the node's
/// name.
LoweredLayer lower_node(const NodeView& node, const OperatorTable& operators,
                        bool all_outputs_constant);

/// An unsupported layer for the node, with the given reason.
LoweredLayer unsupported_layer(const NodeView& node, std::string reason,
                               const OperatorTable& operators);

}  // namespace benanza::onnx
