#pragma once

#include <vector>

#include "onnx/graph.h"

namespace benanza {

/// Calls that do the work of several calls of a graph. One file per pattern.
std::vector<Fusion> find_fusions(const std::vector<Layer>& layers);

/// conv_bias, gemm_bias: a layer whose convolution or product is followed by a constant bias, one
/// value per filter or column, becomes one call with a bias epilogue.
std::vector<Fusion> bias_fusions(const std::vector<Layer>& layers);

}  // namespace benanza
