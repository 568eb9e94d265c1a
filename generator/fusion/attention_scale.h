#pragma once

#include <cstdint>
#include <optional>

#include "generator/fusion/flow.h"

namespace benanza::fusion {

/// The constant factors of attention's scores, wherever they are applied, as one.
class ScoreScale {
 public:
  /// True if the layer's only call multiplies operand 0 by a constant number or divides it by one.
  static bool is_factor(const LoweredLayer& layer);
  /// The number by which such a layer multiplies; empty if its value is not in the model.
  static std::optional<double> factor_of(const Flow& flow, std::size_t index);

  /// Takes a factor; empty if unknown.
  void times(std::optional<double> factor);
  /// The factor for rows of `size` elements. 1 / sqrt(size) if it is unknown, because its value
  /// does not affect the time, or equal to that up to the rounding of two factors to bf16, so that
  /// equal layers share a problem however their factors were rounded.
  float of(std::int64_t size) const;
  bool is_known() const { return known_; }

 private:
  double product_ = 1;
  bool known_ = true;
};

}  // namespace benanza::fusion
