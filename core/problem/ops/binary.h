#pragma once

#include "core/problem/operand.h"

namespace benanza {

enum class BinaryKind { add, sub, mul, div, max, min, prelu, power, eq, ne, lt, le, gt, ge };

/// Elementwise; a and b broadcast to the output as in ONNX, with leading ones added so that their
/// ranks are equal. prelu is a < 0 ? a * b : a, with b the slope. power is a^b. A comparison
/// returns 1 or 0. `constant_b`: b is a weight (a bias, a slope).
/// Keys: add/1x64x56x56_1x64x56x56, mul/1x64x56x56_1x64x56x56; add/1x64x56x56_1x64x1x1_w (the bias
/// of a convolution)
struct Binary {
  BinaryKind kind = BinaryKind::add;
  Dims a;
  Dims b;
  bool constant_b = false;

  bool operator==(const Binary&) const = default;

  static bool owns(std::string_view op);
  std::string_view op() const;
  void map(KeyFields& fields);

  std::vector<Operand> inputs() const;
  Dims output() const;
  /// One per output element.
  double flops() const { return static_cast<double>(element_count(output())); }
};

}  // namespace benanza
