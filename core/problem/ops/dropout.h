#pragma once

#include "core/problem/operand.h"

namespace benanza {

/// As in training: each element is dropped (0) with probability `ratio`, or divided by 1 - ratio.
/// Inference drops nothing: the problem can be measured, but no layer counts it.
/// Key: dropout/1x4096_r0.5
struct Dropout {
  Dims input;
  float ratio = 0.5F;

  bool operator==(const Dropout&) const = default;

  static constexpr bool takes_steps = false;
  static bool owns(std::string_view op) { return op == "dropout"; }
  std::string_view op() const { return "dropout"; }
  void write(KeyWriter& writer) const { writer.dims("", input).real("r", ratio); }
  static Dropout read(KeyReader& reader);

  std::vector<Operand> inputs() const { return {{.name = "input", .dims = input}}; }
  Dims output() const { return input; }
  /// One per element: the product. Random numbers are the library's own.
  double flops() const { return static_cast<double>(element_count(input)); }
};

}  // namespace benanza
