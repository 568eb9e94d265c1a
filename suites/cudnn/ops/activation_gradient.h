#pragma once

#include <cudnn.h>

#include <vector>

#include "core/problem/ops/activation_gradient.h"
#include "suites/cudnn/ops/activation.h"
#include "suites/cudnn/primitive/graph_call.h"

namespace benanza::cudnn {

/// The function of cudnnActivationBackward, which reads the function's result and its input. For
/// relu, sigmoid, tanh and elu the result is sufficient and is passed as both, as in Caffe2; for
/// swish, whose operand is the input, a forward call computes the result outside the timed region.
/// Throws Unsupported for other functions.
ActivationCall map_activation_gradient(const ActivationGradient& shape);

/// Returns an input of a clipped relu whose result is `y`; beyond the ceiling if `y` is the
/// ceiling, so that it does not look like an input below it.
float clipped_relu_input(float y, float ceiling);

/// Returns one pointwise graph: the library's own gradient if it has one for what the problem
/// reads, otherwise the derivative's formula times the output's gradient. Throws Unsupported at
/// int8.
std::vector<GraphCall> activation_gradient_graphs(const ActivationGradient& shape,
                                                  const harness::Variant& variant);

}  // namespace benanza::cudnn
