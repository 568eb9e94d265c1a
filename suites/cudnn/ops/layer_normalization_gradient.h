#pragma once

#include <vector>

#include "core/problem/ops/layer_normalization_gradient.h"
#include "suites/cudnn/primitive/graph_call.h"

namespace benanza::cudnn {

/// Returns graphs of the library's gradient of a layer or RMS normalization, with statistics in
/// fp32. It always scales (by ones if the problem does not) and always computes the gradients of
/// scale and, except for RMS, of bias (ignored if the problem does not have them). In half
/// precision a second graph ("fp32vectors.") has scale and the vectors' gradients in fp32. Throws
/// Unsupported at int8.
std::vector<GraphCall> layer_normalization_gradient_graphs(const LayerNormalizationGradient& shape,
                                                           const harness::Variant& variant);

}  // namespace benanza::cudnn
