#pragma once

#include "core/problem/operand.h"

namespace benanza {

/// The gradients of the input, scale and bias of a batch normalization in a training step. With n
/// elements in a channel, r = 1 / sqrt(variance + epsilon) and x' = (x - mean) r:
///   bias' = sum dy,  scale' = sum dy x',  dx = scale r (dy - bias' / n - x' scale' / n)
/// (S. Ioffe, C. Szegedy, Batch Normalization, 2015, section 3).
/// Key: batchnorm_bwd/8x64x28x28_e1e-05
struct BatchNormalizationGradient {
  Dims input;
  float epsilon = 1e-5F;

  bool operator==(const BatchNormalizationGradient&) const = default;

  static constexpr bool takes_steps = false;
  static bool owns(std::string_view op) { return op == "batchnorm_bwd"; }
  std::string_view op() const { return "batchnorm_bwd"; }
  void map(KeyFields& fields);

  /// The gradient of y, then x, scale, and the mean and variance of every channel.
  std::vector<Operand> inputs() const;
  Dims output() const;
  /// The gradients of x, scale and bias.
  std::vector<Dims> results() const;
  /// Per element: x' (two), two sums (three), and dx as two multiply-adds (four).
  double flops() const { return 9.0 * static_cast<double>(element_count(input)); }
  std::int64_t reduction_length() const { return element_count(input) / input[1]; }
};

}  // namespace benanza
