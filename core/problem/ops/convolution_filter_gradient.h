#pragma once

#include "core/problem/ops/convolution.h"

namespace benanza {

/// The gradient of a convolution's weights: for every weight, the sum over images and output pixels
/// of the output's gradient times the input pixel that the weight met. The gradient of its data is
/// a Deconvolution of the output's gradient with the same weights.
/// Key: conv_bwd_filter/ and the convolution's fields.
struct ConvolutionFilterGradient {
  Convolution forward;

  bool operator==(const ConvolutionFilterGradient&) const = default;

  static constexpr bool takes_steps = false;
  static bool owns(std::string_view op) { return op == "conv_bwd_filter"; }
  std::string_view op() const { return "conv_bwd_filter"; }
  void write(KeyWriter& writer) const { forward.write(writer); }
  static ConvolutionFilterGradient read(KeyReader& reader) { return {Convolution::read(reader)}; }

  /// The convolution's input, and the gradient of its output.
  std::vector<Operand> inputs() const;
  /// As the weights: filters x (c / groups) x kernel.
  Dims output() const { return forward.inputs()[1].dims; }
  /// As many as the convolution's.
  double flops() const { return forward.flops(); }
  /// Images times output pixels.
  std::int64_t reduction_length() const;
};

}  // namespace benanza
