#pragma once

#include <optional>

#include "core/problem/operand.h"

namespace benanza {

/// ONNX's Where: elementwise `a` where the condition is 1, `b` where it is 0. The condition holds
/// only 0 and 1, in the variant's precision, as comparisons here produce it; work() counts one byte
/// for each, as frameworks store truth values. An alternative that is a single number known when
/// the model is loaded is a parameter of the call, not a tensor. Condition and tensors broadcast to
/// the result as in ONNX, with leading ones added so that ranks are equal. A `w` after a tensor: it
/// is a weight.
/// Key: select/1x12x128x128_va0_b1x12x128x128; select/1x1x8x8_w_va0_vb-inf (numbers alone),
/// select/1x1x128x128_w_a1x12x128x128_b1x1x1x1
struct Select {
  /// A tensor, or a number other than NaN.
  struct Alternative {
    Dims dims;
    bool constant = false;
    std::optional<float> value = std::nullopt;

    bool operator==(const Alternative&) const = default;
  };

  Dims condition;
  bool constant_condition = false;
  Alternative a;
  Alternative b;

  bool operator==(const Select&) const = default;

  static constexpr bool takes_steps = false;
  static bool owns(std::string_view op) { return op == "select"; }
  std::string_view op() const { return "select"; }
  void map(KeyFields& fields);

  /// The condition, then a and b if they are tensors.
  std::vector<Operand> inputs() const;
  Dims output() const;
  /// One per output element.
  double flops() const { return static_cast<double>(element_count(output())); }
};

}  // namespace benanza
