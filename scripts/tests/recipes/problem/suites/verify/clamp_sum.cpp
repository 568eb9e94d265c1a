#include <algorithm>
#include <cmath>

#include "suites/verify/element_arithmetic.h"
#include "suites/verify/operators.h"

namespace benanza::verify {

Element element(const ClampSum& shape, Operands operands, const Dims& at) {
  const auto place = static_cast<std::size_t>(ravel_broadcast(at, shape.input));
  const double a = operands[0][place];
  const double b = operands[1][place];
  const double value =
      std::min(std::max<double>(a + b, shape.low), static_cast<double>(shape.high));
  return {value, std::max(std::abs(value), std::abs(a) + std::abs(b))};
}

}  // namespace benanza::verify
