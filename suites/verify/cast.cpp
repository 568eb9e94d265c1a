#include <cmath>

#include "suites/verify/element_arithmetic.h"
#include "suites/verify/operators.h"

namespace benanza::verify {

Element element(const Cast& shape, Operands operands, const Dims& at) {
  const double x = operands[0][static_cast<std::size_t>(ravel_broadcast(at, shape.input))];
  return {x, std::abs(x)};
}

/// Gives the values to narrow more bits than the narrow type holds.
void adjust_inputs(const Cast& shape, std::vector<std::vector<float>>& values) {
  if (shape.widens) return;
  for (std::size_t i = 0; i < values[0].size(); ++i) {
    values[0][i] *= 1 - static_cast<float>(i % 61) * 0x1p-10F;
  }
}

}  // namespace benanza::verify
