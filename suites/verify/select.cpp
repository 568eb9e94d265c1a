#include "suites/verify/element_arithmetic.h"
#include "suites/verify/operators.h"

namespace benanza::verify {

Element element(const Select& shape, Operands operands, const Dims& at) {
  const auto taken = [&](std::size_t operand, const Dims& dims) {
    return static_cast<double>(
        operands[operand][static_cast<std::size_t>(ravel_broadcast(at, dims))]);
  };
  const bool first = taken(0, shape.condition) != 0;
  const Select::Alternative& chosen = first ? shape.a : shape.b;
  const std::size_t operand = first || shape.a.value ? 1 : 2;
  const double value =
      chosen.value ? static_cast<double>(*chosen.value) : taken(operand, chosen.dims);
  return {value, 0};
}

}  // namespace benanza::verify
