#include <algorithm>
#include <cmath>

#include "suites/verify/coordinates.h"
#include "suites/verify/operators.h"

namespace benanza::verify {

Element element(const Quantization& shape, Operands operands, const Dims& at) {
  const double x = operands[0][static_cast<std::size_t>(ravel_broadcast(at, shape.input))];
  const double value = shape.writes_integers() ? std::clamp(std::nearbyint(8 * x), -128.0, 127.0)
                                               : std::clamp(std::nearbyint(x), -128.0, 127.0) / 8;
  return {value, std::abs(value)};
}

}  // namespace benanza::verify
