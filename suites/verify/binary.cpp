#include <cmath>

#include "core/problem/function.h"
#include "suites/verify/element_arithmetic.h"
#include "suites/verify/operators.h"

namespace benanza::verify {

Element element(const Binary& shape, Operands operands, const Dims& at) {
  const double a = operands[0][static_cast<std::size_t>(ravel_broadcast(at, shape.a))];
  const double b = operands[1][static_cast<std::size_t>(ravel_broadcast(at, shape.b))];
  const double value = value_of(shape.kind, a, b);
  switch (shape.kind) {
    case BinaryKind::add:
    case BinaryKind::sub:
      return {value, std::abs(a) + std::abs(b)};
    case BinaryKind::eq:
    case BinaryKind::ne:
    case BinaryKind::lt:
    case BinaryKind::le:
    case BinaryKind::gt:
    case BinaryKind::ge:
      return {value, 1};
    default:
      return {value, std::abs(value)};
  }
}

}  // namespace benanza::verify
