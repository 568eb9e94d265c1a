#pragma once

#include "core/problem/operand.h"

namespace benanza {

/// Batch normalization in a training step, with the batch's own statistics, per channel (axis 1):
/// scale * (x - mean) / sqrt(variance + epsilon) + bias, with the population variance.
/// The running statistics, two vectors, are not counted.
/// Key: batchnorm_training/8x64x28x28_e1e-05
struct BatchNormalizationTraining {
  Dims input;
  float epsilon = 1e-5F;

  bool operator==(const BatchNormalizationTraining&) const = default;

  static constexpr bool takes_steps = false;
  static bool owns(std::string_view op) { return op == "batchnorm_training"; }
  std::string_view op() const { return "batchnorm_training"; }
  void map(KeyFields& fields);

  /// x, scale, bias.
  std::vector<Operand> inputs() const;
  /// All results one after the other.
  Dims output() const;
  /// y, then the mean and the variance of every channel.
  std::vector<Dims> results() const;
  /// Per element: an addition for the mean, a multiply-add for the variance, and one for the
  /// result.
  double flops() const { return 5.0 * static_cast<double>(element_count(input)); }
  /// Elements of a channel.
  std::int64_t reduction_length() const { return element_count(input) / input[1]; }
};

}  // namespace benanza
