#pragma once

#include "generator/onnx/model/node_view.h"

namespace benanza::onnx {

/// The axis of a SplitToSequence, counted from 0.
std::size_t split_axis(const NodeView& split);

/// Extents of the parts of a SplitToSequence, along its axis: stated one by one, or equal (of one
/// element if nothing is stated), where the last may be smaller. Throws NotExpressible if they are
/// unknown or more than 4096, Error if they do not add up to the input's extent.
Dims part_sizes(const NodeView& split);

}  // namespace benanza::onnx
