#pragma once

#include <cudnn.h>

#include <variant>
#include <vector>

#include "core/problem/ops/activation.h"
#include "suites/cudnn/primitive/graph_call.h"

namespace benanza::cudnn {

/// A call of cudnnActivationForward.
struct ActivationCall {
  cudnnActivationMode_t mode = CUDNN_ACTIVATION_RELU;
  /// The ceiling of a clipped relu, alpha of elu, beta of swish; 0 for all others.
  double coefficient = 0;
  bool operator==(const ActivationCall&) const = default;
};

/// A call of cudnnOpTensor: op(factor * x, other_factor * other). x is the result of the previous
/// step (for the first step, the input); other is the input or the constant 1.
struct OpTensorStep {
  cudnnOpTensorOp_t op = CUDNN_OP_TENSOR_ADD;
  float factor = 1;
  float other_factor = 1;
  bool other_is_input = false;
  bool operator==(const OpTensorStep&) const = default;
};

/// Returns the calls that compute exactly this function, without approximating one mode by another.
/// A clip from 0 is the library's clipped relu, any other is max, then min; a leaky relu is max(x,
/// a x) for 0 <= a <= 1 and min(x, a x) for a > 1; a linear function is a x + b; a magnitude max(x,
/// -x); a square x x; hard swish takes four steps. Throws Unsupported for a leaky relu with a < 0,
/// other powers, and all other functions.
std::variant<ActivationCall, std::vector<OpTensorStep>> map_activation(const Activation& shape);

/// Returns steps whose result is `factor` (above zero) times the original one.
std::vector<OpTensorStep> scaled(std::vector<OpTensorStep> steps, float factor);

/// Returns one pointwise graph. Throws Unsupported if the library does not have the function.
std::vector<GraphCall> activation_graphs(const Activation& shape, const harness::Variant& variant);

}  // namespace benanza::cudnn
