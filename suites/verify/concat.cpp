#include <cmath>
#include <stdexcept>

#include "suites/verify/element_arithmetic.h"
#include "suites/verify/operators.h"

namespace benanza::verify {

Element element(const Concat& shape, Operands operands, const Dims& at) {
  const auto axis = static_cast<std::size_t>(shape.axis);
  Dims inside = at;
  for (std::size_t part = 0; part < shape.parts.size(); ++part) {
    if (inside[axis] < shape.parts[part][axis]) {
      const double value =
          operands[part][static_cast<std::size_t>(ravel_broadcast(inside, shape.parts[part]))];
      return {value, std::abs(value)};
    }
    inside[axis] -= shape.parts[part][axis];
  }
  throw std::out_of_range("a concatenation has no element there");
}

}  // namespace benanza::verify
