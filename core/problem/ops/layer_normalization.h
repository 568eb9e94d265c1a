#pragma once

#include "core/problem/operand.h"

namespace benanza {

/// Normalizes every row by its own statistics: (x - mean) / sqrt(variance + epsilon), or, with
/// root_mean_square, x / sqrt(mean of x^2 + epsilon); then * scale + bias, if present, one value
/// per position in a row. Keys: layernorm/128x768_e1e-05_sb; rmsnorm/128x4096_e1e-06_s
struct LayerNormalization {
  std::int64_t rows = 0;
  std::int64_t length = 0;
  float epsilon = 1e-5F;
  bool scale = false;
  bool bias = false;
  bool root_mean_square = false;

  bool operator==(const LayerNormalization&) const = default;

  static bool owns(std::string_view op) { return op == "layernorm" || op == "rmsnorm"; }
  std::string_view op() const { return root_mean_square ? "rmsnorm" : "layernorm"; }
  void map(KeyFields& fields);

  /// x, then scale and bias if present.
  std::vector<Operand> inputs() const;
  Dims output() const { return {rows, length}; }
  /// Per element: an addition and a multiply-add for the statistics (for the root mean square only
  /// the latter), a subtraction and a product, and one each for scale and bias.
  double flops() const;
  std::int64_t reduction_length() const { return length; }
};

}  // namespace benanza
