#pragma once

#include "core/problem/ops/softmax.h"

namespace benanza {

/// The gradient of a softmax's input, computed from its result y: y (dy - sum(y dy)) along the
/// axis; for the logarithm dy - e^y sum(dy). Keys: softmax_bwd/8x1000_a1, logsoftmax_bwd/8x1000_a1
struct SoftmaxGradient {
  Softmax forward;

  bool operator==(const SoftmaxGradient&) const = default;

  static constexpr bool takes_steps = false;
  static bool owns(std::string_view op) { return op == "softmax_bwd" || op == "logsoftmax_bwd"; }
  std::string_view op() const { return forward.logarithm ? "logsoftmax_bwd" : "softmax_bwd"; }
  void map(KeyFields& fields) {
    if (KeyReader* reader = fields.reader()) reader->drop_from_op("_bwd");
    forward.map(fields);
  }

  /// The gradient of the output, then the result.
  std::vector<Operand> inputs() const {
    return {{.name = "output gradient", .dims = forward.input},
            {.name = "result", .dims = forward.input}};
  }
  Dims output() const { return forward.input; }
  /// Four per element: a multiply-add for the sum, a difference and a product (logarithm: a sum, an
  /// exponential, a product and a difference).
  double flops() const { return 4.0 * static_cast<double>(element_count(forward.input)); }
  std::int64_t reduction_length() const { return forward.reduction_length(); }
};

}  // namespace benanza
