#pragma once

#include "core/problem/ops/activation.h"

namespace benanza {

/// The gradient of an Activation's input: the output's gradient times the function's derivative.
/// The derivative is computed from what frameworks keep: the function's result y if that is enough,
/// otherwise its input x:
///   relu y > 0 | leaky_relu y < 0 ? alpha : 1 | clip alpha < y < beta | sigmoid y (1 - y)
///   tanh 1 - y^2 | elu y < 0 ? y + alpha : 1 | exp y | sqrt 1 / (2 y)
///   from x: gelu, gelu_tanh, erf, hard_swish, softplus, softsign, mish, swish, log, pow, abs, sin,
///   cos; also leaky_relu and elu if alpha < 0
/// linear has no gradient operator, because its gradient is itself a linear; neither do functions
/// whose derivative is 0 wherever it exists.
/// Keys: relu_bwd/8x64x28x28, gelu_bwd/8x64x28x28; clip_bwd/8x64x28x28_a0_b6
struct ActivationGradient {
  Activation forward;

  bool operator==(const ActivationGradient&) const = default;

  static constexpr bool takes_steps = false;
  static bool owns(std::string_view op);
  std::string_view op() const;
  void map(KeyFields& fields);

  /// True if the second operand is the function's result, false if it is its input.
  bool of_result() const;
  /// The gradient of the output, then x or y.
  std::vector<Operand> inputs() const;
  Dims output() const { return forward.input; }
  /// Two per element: the derivative and the product.
  double flops() const { return 2.0 * static_cast<double>(element_count(forward.input)); }
};

/// True if the derivative is not the same number everywhere.
bool has_gradient(ActivationKind kind);

}  // namespace benanza
