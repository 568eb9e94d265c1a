#pragma once

#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {

/// Removes the copies that leave every element where it is, as reorderings of axes with one element
/// do: who reads the result reads what the copy read, which may be a part of a larger tensor. A
/// node of which nothing remains is free. What only a copy writes (a part of an output, an output
/// that is not the last call's) stays.
void drop_idle_copies(const NodeView& node, Lowered& lowered);

}  // namespace benanza::onnx
