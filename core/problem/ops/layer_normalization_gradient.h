#pragma once

#include "core/problem/ops/layer_normalization.h"

namespace benanza {

/// The gradients of a LayerNormalization's input, scale and bias. With rows of n elements, r = 1 /
/// sqrt(variance + epsilon), x' = (x - mean) r and g = dy scale:
///   dx = r (g - mean of g - x' mean of (g x')),  scale' = sum over rows of dy x',  bias' = sum of
///   dy
/// With root_mean_square the variance is the mean of x^2, x' = x r, and dx has no mean of g
/// (J. Ba, J. Kiros, G. Hinton, Layer Normalization, 2016; B. Zhang, R. Sennrich, 2019).
/// Keys: layernorm_bwd/128x768_e1e-05_sb; rmsnorm_bwd/128x4096_e1e-06_s
struct LayerNormalizationGradient {
  LayerNormalization forward;

  bool operator==(const LayerNormalizationGradient&) const = default;

  static constexpr bool takes_steps = false;
  static bool owns(std::string_view op) { return op == "layernorm_bwd" || op == "rmsnorm_bwd"; }
  std::string_view op() const { return forward.root_mean_square ? "rmsnorm_bwd" : "layernorm_bwd"; }
  void map(KeyFields& fields) {
    if (KeyReader* reader = fields.reader()) reader->drop_from_op("_bwd");
    forward.map(fields);
  }

  /// The gradient of y, x, scale if present, then the mean (not with root_mean_square) and the
  /// variance of every row.
  std::vector<Operand> inputs() const;
  /// All results one after the other.
  Dims output() const;
  /// The gradient of x, then of scale and bias if present.
  std::vector<Dims> results() const;
  /// Per element: x' (two), g (one if there is a scale), two sums (three), dx (four), and the sums
  /// for scale (two) and bias (one).
  double flops() const;
  /// The longest sum: over a row, or over a column if there is a scale or a bias.
  std::int64_t reduction_length() const;
};

}  // namespace benanza
