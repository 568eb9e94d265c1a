#include <algorithm>
#include <cmath>

#include "suites/verify/coordinates.h"
#include "suites/verify/operators.h"

namespace benanza::verify {

Element element(const Lrn& shape, Operands operands, const Dims& at) {
  const auto value_at = [&](std::int64_t channel) -> double {
    Dims there = at;
    there[1] = channel;
    return operands[0][static_cast<std::size_t>(ravel_broadcast(there, shape.input))];
  };
  const std::int64_t first = std::max<std::int64_t>(0, at[1] - (shape.size - 1) / 2);
  const std::int64_t last = std::min(shape.input[1] - 1, at[1] + shape.size / 2);
  double squares = 0;
  for (std::int64_t c = first; c <= last; ++c) squares += value_at(c) * value_at(c);
  const double base = shape.k + shape.alpha / static_cast<double>(shape.size) * squares;
  const double value = value_at(at[1]) / std::pow(base, static_cast<double>(shape.beta));
  return {value, std::abs(value)};
}

// The sum of squares must weigh as much as k.
double input_range(const Lrn& shape) {
  if (shape.alpha <= 0 || shape.k <= 0) return 1;
  return std::clamp(1.6 * std::sqrt(shape.k / static_cast<double>(shape.alpha)), 1.0, 256.0);
}

}  // namespace benanza::verify
