#pragma once

#include "core/problem/operand.h"

namespace benanza {

/// Converts between fp32 and the variant's precision, as in mixed-precision training: gradients are
/// widened before the update of fp32 weights, and the new weights are narrowed. At fp32 and tf32
/// both sides are the same, so there is no such call.
/// Keys: narrow/64x5600 (reads fp32), widen/64x5600 (writes fp32)
struct Cast {
  Dims input;
  /// Otherwise it narrows.
  bool widens = false;

  bool operator==(const Cast&) const = default;

  static constexpr bool takes_steps = false;
  static bool owns(std::string_view op) { return op == "narrow" || op == "widen"; }
  std::string_view op() const { return widens ? "widen" : "narrow"; }
  void map(KeyFields& fields) {
    if (const KeyReader* reader = fields.reader()) widens = reader->op() == "widen";
    fields.dims("", input);
  }

  std::vector<Operand> inputs() const { return {{.name = "input", .dims = input}}; }
  Dims output() const { return input; }
  double flops() const { return 0; }
};

}  // namespace benanza
