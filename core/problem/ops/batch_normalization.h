#pragma once

#include "core/problem/operand.h"

namespace benanza {

/// Inference form, per channel (axis 1): scale * (x - mean) / sqrt(variance + epsilon) + bias.
/// Key: batchnorm/1x64x56x56_e1e-05
struct BatchNormalization {
  Dims input;
  float epsilon = 1e-5F;

  bool operator==(const BatchNormalization&) const = default;

  static bool owns(std::string_view op) { return op == "batchnorm"; }
  std::string_view op() const { return "batchnorm"; }
  void map(KeyFields& fields);

  /// x, scale, bias, mean, variance.
  std::vector<Operand> inputs() const;
  Dims output() const { return input; }
  /// One multiply-add per element: the four vectors fold into a scale and a shift.
  double flops() const { return 2.0 * static_cast<double>(element_count(input)); }
};

}  // namespace benanza
