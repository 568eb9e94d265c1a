#pragma once

#include "core/problem/window.h"
#include "generator/onnx/model/node_view.h"

namespace benanza::onnx {

/// The window of Conv and the pooling operators, given by kernel_shape, pads or auto_pad, strides,
/// dilations and ceil_mode, for an input of these spatial extents. ceil_mode and auto_pad become
/// pads. Throws Error if values do not fit each other or the input, NotExpressible for negative
/// pads.
struct SlidingWindow {
  Window window;
  /// End pads per axis that exist only because of ceil_mode.
  Dims overhang;
};
SlidingWindow sliding_window(const NodeView& node, const Dims& spatial, const Dims& kernel);

/// `count` values of an attribute, all `fallback` if it is missing. Throws Error if it has a
/// different number of values.
Dims axis_values(const NodeView& node, std::string_view name, std::size_t count,
                 std::int64_t fallback);
/// Kernel, strides and dilations for `rank` spatial axes; no pads.
Window unpadded_window(const NodeView& node, std::size_t rank, const Dims& kernel);
/// Throws NotExpressible for negative pads, Error for impossible ones.
void check_pads(const Dims& pads);

/// Extents of input 0: n, c and one to three spatial axes. Otherwise throws NotExpressible.
const Dims& image_extents(const NodeView& node);

}  // namespace benanza::onnx
