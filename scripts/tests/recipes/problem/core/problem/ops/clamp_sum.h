#pragma once

#include "core/problem/operand.h"

namespace benanza {

/// min(max(a + b, low), high) of two tensors of the same extents.
/// Key: clampsum/1x64x56x56_l0_h6
struct ClampSum {
  Dims input;
  float low = 0;
  float high = 0;

  bool operator==(const ClampSum&) const = default;

  static constexpr bool takes_steps = false;
  static bool owns(std::string_view op) { return op == "clampsum"; }
  std::string_view op() const { return "clampsum"; }
  void map(KeyFields& fields) { fields.dims("", input).real("l", low).real("h", high); }

  std::vector<Operand> inputs() const {
    return {{.name = "a", .dims = input}, {.name = "b", .dims = input}};
  }
  Dims output() const { return input; }
  /// An addition and two comparisons.
  double flops() const { return 3 * static_cast<double>(element_count(input)); }
};

}  // namespace benanza
