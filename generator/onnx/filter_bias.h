#pragma once

#include "generator/onnx/lowering.h"

namespace benanza::onnx {

/// The call that adds input `index` of the node, one value per filter, to a convolution's result of
/// extents `output`. Throws Error where the numbers differ.
Call filter_bias(const Site& site, std::size_t index, const Dims& output, Source result);

}  // namespace benanza::onnx
