#pragma once

#include "core/problem/operand.h"

namespace benanza {

/// Training mode: each element is dropped (0) with probability `ratio`, otherwise divided by
/// 1 - ratio. Inference drops nothing: the problem can be measured, but no layer counts it.
/// Key: dropout/8x4096_r0.5
struct Dropout {
  Dims input;
  float ratio = 0.5F;

  bool operator==(const Dropout&) const = default;

  static constexpr bool takes_steps = false;
  static bool owns(std::string_view op) { return op == "dropout"; }
  std::string_view op() const { return "dropout"; }
  void map(KeyFields& fields) {
    fields.dims("", input).real("r", ratio);
    fields.require(ratio >= 0 && ratio < 1, "a ratio from 0 to below 1");
  }

  std::vector<Operand> inputs() const { return {{.name = "input", .dims = input}}; }
  Dims output() const { return input; }
  /// One product per element. Drawing random numbers is not counted.
  double flops() const { return static_cast<double>(element_count(input)); }
};

}  // namespace benanza
