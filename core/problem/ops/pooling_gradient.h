#pragma once

#include "core/problem/ops/pooling.h"

namespace benanza {

/// The gradient of a pooling's input: of max, every output's gradient goes to the pixel that was
/// the largest of its window (the first of equal ones in row-major order); of an average, to every
/// pixel of the window, divided as the average was. Keys: maxpool_bwd/ and avgpool_bwd/ with the
/// pooling's fields.
struct PoolingGradient {
  Pooling forward;

  bool operator==(const PoolingGradient&) const = default;

  static constexpr bool takes_steps = false;
  static bool owns(std::string_view op) { return op == "maxpool_bwd" || op == "avgpool_bwd"; }
  std::string_view op() const {
    return forward.mode == PoolingMode::max ? "maxpool_bwd" : "avgpool_bwd";
  }
  void write(KeyWriter& writer) const { forward.write(writer); }
  static PoolingGradient read(KeyReader& reader);

  /// The gradient of the output; of max, the input, too. What a library keeps of the forward call
  /// instead (places, the result) is made outside of the time.
  std::vector<Operand> inputs() const;
  Dims output() const { return forward.input; }
  /// One per tap of every output of an average, one per output of max.
  double flops() const;
  /// Most windows that a pixel lies in.
  std::int64_t reduction_length() const { return element_count(forward.window.kernel); }
};

}  // namespace benanza
