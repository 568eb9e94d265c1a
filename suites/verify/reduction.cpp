#include <algorithm>
#include <cmath>

#include "suites/verify/element_arithmetic.h"
#include "suites/verify/operators.h"

namespace benanza::verify {

Element element(const Reduction& shape, Operands operands, const Dims& at) {
  Dims reduced(shape.input.size(), 1);
  for (const std::int64_t axis : shape.axes) {
    reduced[static_cast<std::size_t>(axis)] = shape.input[static_cast<std::size_t>(axis)];
  }
  const Dims strides = dense_strides(shape.input);
  const std::int64_t base = ravel_broadcast(at, shape.input);
  double largest = operands[0][static_cast<std::size_t>(base)];
  double least = largest;
  double product = 1;
  double squares = 0;
  Element sum;
  Dims step(reduced.size(), 0);
  do {
    std::int64_t index = base;
    for (std::size_t axis = 0; axis < step.size(); ++axis) index += step[axis] * strides[axis];
    const double value = operands[0][static_cast<std::size_t>(index)];
    largest = std::max(largest, value);
    least = std::min(least, value);
    product *= value;
    squares += value * value;
    sum.value += value;
    sum.magnitude += std::abs(value);
  } while (advance(step, reduced));
  switch (shape.kind) {
    case ReductionKind::max:
      return {largest, std::abs(largest)};
    case ReductionKind::min:
      return {least, std::abs(least)};
    case ReductionKind::sum:
      return sum;
    case ReductionKind::product:
      return {product, std::abs(product)};
    case ReductionKind::l1:
      return {sum.magnitude, sum.magnitude};
    case ReductionKind::l2:
      return {std::sqrt(squares), std::sqrt(squares)};
    case ReductionKind::sum_square:
      return {squares, squares};
    case ReductionKind::mean:
      break;
  }
  const auto length = static_cast<double>(element_count(reduced));
  return {sum.value / length, sum.magnitude / length};
}

double input_range(const Reduction& shape) {
  // The magnitudes k / 8 (k = 1 ... 8) times this have a geometric mean near 1 (0.47 * 2).
  return shape.kind == ReductionKind::product ? 2 : 1;
}

}  // namespace benanza::verify
