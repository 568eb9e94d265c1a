#pragma once

#include <vector>

#include "generator/onnx/graph.h"

namespace benanza {

/// Changing the layout of a tensor that a layer writes, or of what the model is given.
struct LayoutTransform {
  int layer = 0;
  /// False: the tensor is the layer's output. True: the first input of a layer that reads no other
  /// layer but weights.
  bool of_input = false;
  /// From nchw to nhwc, and back; both empty where the two orders are the same (one channel, or one
  /// position).
  std::optional<Problem> to_nhwc;
  std::optional<Problem> to_nchw;
};

/// The tensors between layers whose operators have a channel order: every output of rank 3 and more
/// that a convolution, pooling, normalisation or transposed convolution writes or reads, and the
/// images that such layers get from outside.
std::vector<LayoutTransform> layout_transforms(const std::vector<Layer>& layers);

}  // namespace benanza
