#pragma once

#include <optional>

#include "core/problem/operand.h"

namespace benanza {

/// Element by element, `a` where the condition is 1, `b` where it is 0: ONNX's Where. The condition
/// holds nothing but 0 and 1, in the precision of the variant, as a comparison here makes it; where
/// a framework stores truth values, it takes one byte for each, and work() counts that.
/// An alternative that is one number for all elements, known when the model is loaded, is a
/// parameter of the call and no tensor. Condition and tensors broadcast to the result as in ONNX;
/// dims of equal rank, leading ones added. A `w` after a tensor: it is a weight.
/// Keys: select/1x12x128x128_va0_b1x12x128x128 (numbers alone: select/1x1x8x8_w_va0_vb-inf),
/// select/1x1x128x128_w_a1x12x128x128_b1x1x1x1
struct Select {
  /// One of the two: a tensor, or a number, which is not NaN.
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
  void write(KeyWriter& writer) const;
  static Select read(KeyReader& reader);

  /// The condition, then a and b where they are tensors.
  std::vector<Operand> inputs() const;
  Dims output() const;
  /// One per output element.
  double flops() const { return static_cast<double>(element_count(output())); }
};

}  // namespace benanza
