#pragma once

#include <vector>

#include "core/problem/ops/layer_normalization_gradient.h"
#include "suites/cudnn/primitive/graph_solver.h"

namespace benanza::cudnn {

/// The library's gradient of a layer's or a root mean square's normalization, by statistics in
/// fp32. It always scales and always has the gradients of scale and, but for the root mean square,
/// of bias: ones, and results that nobody looks at, where the problem has none. In half precision
/// once more with scale and the vectors' gradients in fp32 ("fp32vectors."). Throws Unsupported at
/// int8.
std::vector<GraphCall> layer_normalization_gradient_graphs(const LayerNormalizationGradient& shape,
                                                           const harness::Variant& variant);

}  // namespace benanza::cudnn
