#pragma once

#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {

/// Nothing of a node is dropped in silence. Throws NotExpressible, with what it is, if `node` has
/// something that its calls in `lowered` do not stand for: an attribute, other than its default, or
/// a connected input that the lowering neither asked for, nor made an operand, nor declares idle
/// (Operator::idle_attributes, idle_inputs); or an operand stored in a type of 8 bits or fewer, for
/// calls that read floats. To be called before anyone else asks the node. Calls of free and
/// unsupported layers stand for nothing.
void check_accounts(const NodeView& node, const Operator& known, const Lowered& lowered);

}  // namespace benanza::onnx
