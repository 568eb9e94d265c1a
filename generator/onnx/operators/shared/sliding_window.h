#pragma once

#include <algorithm>
#include <string_view>

#include "core/base/error.h"
#include "core/problem/window.h"
#include "generator/onnx/model/node_view.h"
#include "generator/onnx/operators/shared/operator.h"

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

/// n, spatial extents, c as n, c, spatial extents.
inline Dims channels_second(Dims dims) {
  if (dims.size() > 2) std::rotate(dims.begin() + 1, dims.end() - 1, dims.end());
  return dims;
}

/// The other way round.
inline Dims channels_last(Dims dims) {
  if (dims.size() > 2) std::rotate(dims.begin() + 1, dims.begin() + 2, dims.end());
  return dims;
}

/// ONNX Runtime's domain of the standard operators on images whose channels come last.
inline constexpr std::string_view nhwc_domain = "com.ms.internal.nhwc";

/// Whether the node's images have their channels last.
inline bool has_channels_last(const NodeView& node) {
  return node.flag("channels_last") || node.op_type() == "NhwcMaxPool" ||
         node.node().domain() == nhwc_domain;
}

/// Extents of input 0, an image, as n, c, spatial extents; `last`: how the node has them.
inline Dims image_with_channels_second(const NodeView& node, bool last) {
  return last ? channels_second(image_extents(node)) : image_extents(node);
}

/// Calls on images of a node whose channels come last, stated with channels second, as problems
/// have them: the same work on elements in another order.
inline Lowered of_channels_last(const NodeView& node, Lowered lowered) {
  if (lowered.calls.empty()) return lowered;
  const Dims made = output(lowered.calls.back().problem);
  if (element_count(made) != element_count(node.output_shape(0))) {
    throw Error("makes " + join(made, 'x') + ", not " + join(node.output_shape(0), 'x'));
  }
  for (Call& call : lowered.calls) call.is_proxy = true;
  return lowered;
}

}  // namespace benanza::onnx
