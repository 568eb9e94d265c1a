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

/// Removes the copies that leave every element where it is, as reorderings of axes with one element
/// do: who reads the result reads what the copy read, which may be a part of a larger tensor. A
/// node of which nothing remains is free. What only a copy writes (a part of an output, an output
/// that is not the last call's) stays.
void drop_idle_copies(const NodeView& node, Lowered& lowered);

}  // namespace benanza::onnx
