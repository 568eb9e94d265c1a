#pragma once

#include "core/problem/operand.h"

namespace benanza {

/// Normalizes every channel of every image by its own statistics:
/// (x - mean) / sqrt(variance + epsilon), then, if affine, * scale + bias per channel. `input` is
/// n, c, and at least one more axis.
/// Key: instancenorm/1x64x56x56_e1e-05_sb
struct InstanceNormalization {
  Dims input;
  float epsilon = 1e-5F;
  bool affine = true;

  bool operator==(const InstanceNormalization&) const = default;

  static bool owns(std::string_view op) { return op == "instancenorm"; }
  std::string_view op() const { return "instancenorm"; }
  void map(KeyFields& fields);

  /// x, then scale and bias if affine.
  std::vector<Operand> inputs() const;
  Dims output() const { return input; }
  /// Per element: an addition and a multiply-add for the statistics, a subtraction and a product,
  /// and two for scale and bias.
  double flops() const { return (affine ? 7.0 : 5.0) * static_cast<double>(element_count(input)); }
  std::int64_t reduction_length() const { return element_count(input) / (input[0] * input[1]); }
};

}  // namespace benanza
