#pragma once

#include <cudnn.h>

#include <vector>

#include "core/problem/ops/activation_gradient.h"
#include "suites/cudnn/ops/activation/activation.h"
#include "suites/cudnn/primitive/graph_solver.h"

namespace benanza::cudnn {

/// cudnnActivationBackward's function. The call reads the function's result and its input. Of relu,
/// sigmoid, tanh and elu the result is enough and stands for both, as in Caffe2; of swish, whose
/// input is the operand, a forward call makes the result outside of the time. Throws Unsupported
/// for other functions.
ActivationCall map_activation_gradient(const ActivationGradient& shape);

/// An input of a clipped relu that has the result `y`: beyond the ceiling where that is the result,
/// so that it cannot be taken for one below.
float clipped_relu_input(float y, float ceiling);

/// One graph of functions of every element: the library's own gradient where it has one of what the
/// problem reads, else the derivative's formula times the output's gradient. Throws Unsupported at
/// int8.
std::vector<GraphCall> activation_gradient_graphs(const ActivationGradient& shape,
                                                  const harness::Variant& variant);

}  // namespace benanza::cudnn
