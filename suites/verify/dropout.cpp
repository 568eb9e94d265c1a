#include <cmath>

#include "suites/verify/element_arithmetic.h"
#include "suites/verify/operators.h"

namespace benanza::verify {

/// The element's value if it is kept.
Element element(const Dropout& shape, Operands operands, const Dims& at) {
  const double x = operands[0][static_cast<std::size_t>(ravel_broadcast(at, shape.input))];
  const double kept = x / (1.0 - shape.ratio);
  return {kept, std::abs(kept)};
}

}  // namespace benanza::verify
