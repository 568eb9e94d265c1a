#pragma once

#include "core/problem/operand.h"
#include "core/problem/window.h"

namespace benanza {

/// Transposed convolution, as in ONNX ConvTranspose: input pixel i contributes to output pixels
/// i * stride - begin pad + tap * dilation. `input` is n, c, spatial (1 to 3 axes); weights are
/// c x (filters / groups) x kernel; the epilogue's bias, if any, has `filters` values. The output
/// has (input - 1) * stride + dilated kernel - pads pixels. A negative end pad adds pixels at the
/// end, as output_padding does: nodes that compute the same have equal keys.
/// `unsigned_data` as for a Convolution.
/// Key: deconv/1x64x8x8_k32x4x4_p1.1.1.1_s2x2_d1x1_g1
struct Deconvolution {
  Dims input;
  std::int64_t filters = 0;
  Window window;
  std::int64_t groups = 1;
  bool unsigned_data = false;

  bool operator==(const Deconvolution&) const = default;

  static bool owns(std::string_view op) { return op == "deconv"; }
  std::string_view op() const { return "deconv"; }
  void map(KeyFields& fields);

  std::vector<Operand> inputs() const;
  Dims output() const;
  /// Two per multiply-add: 2 * n * c * input pixels * (filters / groups) * kernel taps. Products
  /// that fall on padding count.
  double flops() const;
  /// Most products summed into one output element: the taps of an axis whose distance is a multiple
  /// of the stride contribute to the same element.
  std::int64_t reduction_length() const;
  std::int64_t bias_length() const { return filters; }
};

struct Convolution;
/// The gradient of a convolution's input, computed from the output's gradient with the same
/// weights. Input pixels at the end that no window reached become a negative end pad. Throws
/// std::invalid_argument if the window's lists are not as long as the input has spatial axes, or a
/// stride is below 1.
Deconvolution data_gradient(const Convolution& forward);

}  // namespace benanza
