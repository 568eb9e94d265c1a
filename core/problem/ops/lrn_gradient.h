#pragma once

#include "core/problem/ops/lrn.h"

namespace benanza {

/// The gradient of a local response normalization's input. With s_c = k + alpha / size * sum of the
/// neighbours' squares:
///   dx_c = dy_c s_c^-beta - 2 alpha beta / size * x_c * sum of dy_d x_d s_d^(-beta - 1)
/// over all d that c is a neighbour of. Key: lrn_bwd/1x64x56x56_n5_a1e-04_b0.75_k1
struct LrnGradient {
  Lrn forward;

  bool operator==(const LrnGradient&) const = default;

  static constexpr bool takes_steps = false;
  static bool owns(std::string_view op) { return op == "lrn_bwd"; }
  std::string_view op() const { return "lrn_bwd"; }
  void map(KeyFields& fields) { forward.map(fields); }

  /// The gradient of the output, and the input. What a library keeps from the forward call is
  /// computed outside the timed region.
  std::vector<Operand> inputs() const {
    return {{.name = "output gradient", .dims = forward.input},
            {.name = "input", .dims = forward.input}};
  }
  Dims output() const { return forward.input; }
  /// A multiply-add per neighbour for s and one for the sum; then scale and power, the two terms of
  /// the sum's products (3), the factors of the sum (2), the first product and the difference (2):
  /// (4 * size + 9) per element.
  double flops() const {
    return (4 * static_cast<double>(forward.size) + 9) *
           static_cast<double>(element_count(forward.input));
  }
  std::int64_t reduction_length() const { return forward.size; }
};

}  // namespace benanza
