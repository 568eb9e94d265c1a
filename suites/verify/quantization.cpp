#include <algorithm>
#include <cmath>

#include "suites/verify/element_arithmetic.h"
#include "suites/verify/operators.h"

namespace benanza::verify {
namespace {

/// The nearest number of e4m3, ties to even; saturated at 448.
double e4m3(double x) {
  constexpr int mantissa_bits = 3;
  constexpr int least_exponent = -6;
  int exponent = 0;
  std::frexp(x, &exponent);
  const double step = std::ldexp(1.0, std::max(exponent - 1, least_exponent) - mantissa_bits);
  return std::clamp(step * std::nearbyint(x / step), -448.0, 448.0);
}

/// The nearest number of 8 bits.
double in_8_bits(double x, bool fp8) {
  return fp8 ? e4m3(x) : std::clamp(std::nearbyint(x), -128.0, 127.0);
}

}  // namespace

Element element(const Quantization& shape, Operands operands, const Dims& at) {
  const double x = operands[0][static_cast<std::size_t>(ravel_broadcast(at, shape.input))];
  const double value =
      shape.writes_bytes() ? in_8_bits(8 * x, shape.fp8) : in_8_bits(x, shape.fp8) / 8;
  return {value, std::abs(value)};
}

}  // namespace benanza::verify
