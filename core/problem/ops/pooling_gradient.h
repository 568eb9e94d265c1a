#pragma once

#include "core/problem/ops/pooling.h"

namespace benanza {

/// The gradient of a pooling's input. Max: every output's gradient goes to the largest pixel of its
/// window (the first in row-major order among equals). Average: it goes to every pixel of the
/// window, divided as in the forward average.
/// Key: maxpool_bwd/8x64x28x28_k2x2_p0.0.0.0_s2x2_d1x1; avgpool_bwd/..._include
struct PoolingGradient {
  Pooling forward;

  bool operator==(const PoolingGradient&) const = default;

  static constexpr bool takes_steps = false;
  static bool owns(std::string_view op) { return op == "maxpool_bwd" || op == "avgpool_bwd"; }
  std::string_view op() const {
    return forward.mode == PoolingMode::max ? "maxpool_bwd" : "avgpool_bwd";
  }
  void map(KeyFields& fields) {
    if (KeyReader* reader = fields.reader()) reader->drop_from_op("_bwd");
    forward.map(fields);
  }

  /// The gradient of the output; for max also the input. What a library keeps from the forward call
  /// instead (positions, the result) is computed outside the timed region.
  std::vector<Operand> inputs() const;
  Dims output() const { return forward.input; }
  /// Average: one per tap of every output. Max: one per output.
  double flops() const;
  /// Most windows that a pixel belongs to.
  std::int64_t reduction_length() const { return element_count(forward.window.kernel); }
};

}  // namespace benanza
