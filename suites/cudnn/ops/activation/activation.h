#pragma once

#include <cudnn.h>

#include <variant>
#include <vector>

#include "core/problem/ops/activation.h"
#include "suites/cudnn/primitive/graph_solver.h"

namespace benanza::cudnn {

/// cudnnActivationForward.
struct ActivationCall {
  cudnnActivationMode_t mode = CUDNN_ACTIVATION_RELU;
  /// Ceiling of a clipped relu, slope of elu, beta of swish; 0 for the others.
  double coefficient = 0;
  bool operator==(const ActivationCall&) const = default;
};

/// cudnnOpTensor: op(factor * x, other_factor * other), where x is the result of the step before
/// (the first one: the input) and other is the input again, or a one.
struct OpTensorStep {
  cudnnOpTensorOp_t op = CUDNN_OP_TENSOR_ADD;
  float factor = 1;
  float other_factor = 1;
  bool other_is_input = false;
  bool operator==(const OpTensorStep&) const = default;
};

/// The calls that compute exactly this function; one mode never stands for another. A clip from 0
/// is the library's clipped relu, any other is max, then min; a leaky relu is max(x, a x) for
/// 0 <= a <= 1 and min(x, a x) for a > 1; a linear function is a x + b; a magnitude max(x, -x); a
/// square x x; hard swish four steps. Throws Unsupported for a leaky relu with a < 0, other powers,
/// and functions that are not here.
std::variant<ActivationCall, std::vector<OpTensorStep>> map_activation(const Activation& shape);

/// The steps whose result is `factor` (above zero) times theirs.
std::vector<OpTensorStep> scaled(std::vector<OpTensorStep> steps, float factor);

/// One graph, of the library's functions of every element. Throws Unsupported where it has none.
std::vector<GraphCall> activation_graphs(const Activation& shape, const harness::Variant& variant);

}  // namespace benanza::cudnn
