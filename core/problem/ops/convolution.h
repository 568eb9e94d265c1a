#pragma once

#include "core/problem/operand.h"
#include "core/problem/window.h"

namespace benanza {

/// Cross-correlation, as in ONNX Conv. `input` is n, c, spatial (1 to 3 axes); weights are
/// filters x (c / groups) x kernel; the epilogue's bias, if any, has `filters` values.
/// `unsigned_data`: the input is unsigned 8-bit data, the weights are signed; only at int8.
/// Keys: conv/1x64x56x56_k64x3x3_p1.1.1.1_s1x1_d1x1_g1, with _u8 for unsigned data
struct Convolution {
  Dims input;
  std::int64_t filters = 0;
  Window window;
  std::int64_t groups = 1;
  bool unsigned_data = false;

  bool operator==(const Convolution&) const = default;

  static bool owns(std::string_view op) { return op == "conv"; }
  std::string_view op() const { return "conv"; }
  void map(KeyFields& fields);

  std::vector<Operand> inputs() const;
  Dims output() const;
  /// Two per multiply-add: 2 * n * filters * output pixels * (c / groups) * kernel taps. Taps on
  /// padding count; dilation adds nothing.
  double flops() const;
  /// Products summed into one output element.
  std::int64_t reduction_length() const { return input[1] / groups * element_count(window.kernel); }
  std::int64_t bias_length() const { return filters; }
};

}  // namespace benanza
