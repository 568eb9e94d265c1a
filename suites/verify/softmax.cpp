#include <algorithm>
#include <cmath>

#include "suites/verify/element_arithmetic.h"
#include "suites/verify/operators.h"

namespace benanza::verify {

Element element(const Softmax& shape, Operands operands, const Dims& at) {
  const auto axis = static_cast<std::size_t>(shape.axis);
  const auto value_at = [&](std::int64_t position) -> double {
    Dims there = at;
    there[axis] = position;
    return operands[0][static_cast<std::size_t>(ravel_broadcast(there, shape.input))];
  };
  double largest = value_at(0);
  for (std::int64_t i = 1; i < shape.input[axis]; ++i) largest = std::max(largest, value_at(i));
  double sum = 0;
  for (std::int64_t i = 0; i < shape.input[axis]; ++i) sum += std::exp(value_at(i) - largest);
  const double shifted = value_at(at[axis]) - largest;
  // The relative error of the exponentials and their sum becomes an absolute error of the
  // logarithm.
  constexpr double exponentials_and_sum = 2;
  if (shape.logarithm) {
    return {shifted - std::log(sum), std::abs(shifted) + std::log(sum) + exponentials_and_sum};
  }
  const double value = std::exp(shifted) / sum;
  return {value, value};
}

}  // namespace benanza::verify
