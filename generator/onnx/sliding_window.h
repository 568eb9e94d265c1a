#pragma once

#include "core/problem/ops/window.h"
#include "generator/onnx/site.h"

namespace benanza::onnx {

/// The window that Conv and the pooling operators state by kernel_shape, pads or auto_pad, strides,
/// dilations and ceil_mode, for an input of these spatial extents. Rounding up and auto_pad become
/// pads. Throws Error where values do not fit each other or the input, NotExpressible for negative
/// pads.
struct SlidingWindow {
  Window window;
  /// Extra end pads, per axis, that only rounding up asked for.
  Dims overhang;
};
SlidingWindow sliding_window(const Node& node, const Dims& spatial, const Dims& kernel);

/// The window of ConvTranspose for an input of these spatial extents: pads, auto_pad or
/// output_shape, and output_padding, become pads; end pads below 0 add pixels. Throws as
/// sliding_window.
Window transposed_window(const Node& node, const Dims& spatial, const Dims& kernel);

/// Extents of input 0, which must be n, c and one to three spatial axes; else NotExpressible.
const Dims& image_extents(const Site& site);

}  // namespace benanza::onnx
