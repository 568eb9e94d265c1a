#include <cmath>

#include "suites/verify/element_arithmetic.h"
#include "suites/verify/operators.h"

namespace benanza::verify {

Element element(const BatchNormalization& shape, Operands operands, const Dims& at) {
  const double x = operands[0][static_cast<std::size_t>(ravel_broadcast(at, shape.input))];
  const auto channel = static_cast<std::size_t>(at[1]);
  const double mean = operands[3][channel];
  const double bias = operands[2][channel];
  const double factor =
      operands[1][channel] / std::sqrt(static_cast<double>(operands[4][channel]) + shape.epsilon);
  return {factor * (x - mean) + bias,
          std::abs(factor) * (std::abs(x) + std::abs(mean)) + std::abs(bias)};
}

}  // namespace benanza::verify
