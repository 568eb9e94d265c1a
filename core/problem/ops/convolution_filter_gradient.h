#pragma once

#include "core/problem/ops/convolution.h"

namespace benanza {

/// The gradient of a convolution's weights: for every weight, the sum over images and output pixels
/// of the output's gradient times the input pixel that the weight was multiplied with. With `bias`
/// also the gradient of the bias: for every filter, the sum of the output's gradient. (The gradient
/// of the input is a Deconvolution of the output's gradient with the same weights.)
/// Key: conv_bwd_filter/8x64x28x28_k64x3x3_p1.1.1.1_s1x1_d1x1_g1; with _bias
struct ConvolutionFilterGradient {
  Convolution forward;
  bool bias = false;

  bool operator==(const ConvolutionFilterGradient&) const = default;

  static constexpr bool takes_steps = false;
  static bool owns(std::string_view op) { return op == "conv_bwd_filter"; }
  std::string_view op() const { return "conv_bwd_filter"; }
  void map(KeyFields& fields);

  /// The convolution's input, then the gradient of its output.
  std::vector<Operand> inputs() const;
  /// Like the weights: filters x (c / groups) x kernel; with a bias both, one after the other.
  Dims output() const;
  /// The gradient of the weights and, with `bias`, of the bias.
  std::vector<Dims> results() const;
  /// The convolution's flops, plus one per element of the output's gradient for a bias.
  double flops() const;
  /// The convolution's flops.
  double product_flops() const { return forward.flops(); }
  /// Images times output pixels.
  std::int64_t reduction_length() const;
};

}  // namespace benanza
