#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "suites/verify/coordinates.h"
#include "suites/verify/operators.h"

namespace benanza::verify {

Element element(const Binary& shape, Operands operands, const Dims& at) {
  const double a = operands[0][static_cast<std::size_t>(ravel_broadcast(at, shape.a))];
  const double b = operands[1][static_cast<std::size_t>(ravel_broadcast(at, shape.b))];
  const auto of_size = [](double value) { return Element{value, std::abs(value)}; };
  const auto truth = [](bool value) { return Element{value ? 1.0 : 0.0, 1}; };
  switch (shape.kind) {
    case BinaryKind::add:
      return {a + b, std::abs(a) + std::abs(b)};
    case BinaryKind::sub:
      return {a - b, std::abs(a) + std::abs(b)};
    case BinaryKind::mul:
      return of_size(a * b);
    case BinaryKind::div:
      return of_size(a / b);
    case BinaryKind::max:
      return of_size(std::max(a, b));
    case BinaryKind::min:
      return of_size(std::min(a, b));
    case BinaryKind::prelu:
      return of_size(a < 0 ? a * b : a);
    case BinaryKind::power:
      return of_size(std::pow(a, b));
    case BinaryKind::eq:
      return truth(a == b);
    case BinaryKind::ne:
      return truth(a != b);
    case BinaryKind::lt:
      return truth(a < b);
    case BinaryKind::le:
      return truth(a <= b);
    case BinaryKind::gt:
      return truth(a > b);
    case BinaryKind::ge:
      return truth(a >= b);
  }
  throw std::logic_error("unknown binary operator");
}

}  // namespace benanza::verify
