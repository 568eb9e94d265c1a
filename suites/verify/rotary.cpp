#include <cmath>

#include "suites/verify/element_arithmetic.h"
#include "suites/verify/operators.h"

namespace benanza::verify {

Element element(const Rotary& shape, Operands operands, const Dims& at) {
  const bool first = shape.interleaved ? at.back() % 2 == 0 : at.back() < shape.half();
  const std::int64_t distance = shape.interleaved ? 1 : shape.half();
  Dims other = at;
  other.back() += first ? distance : -distance;
  Dims entry = at;
  if (shape.table.back() == shape.half()) {
    entry.back() = shape.interleaved ? at.back() / 2 : at.back() % shape.half();
  }
  const auto taken = [&](std::size_t operand, const Dims& place, const Dims& dims) {
    return static_cast<double>(
        operands[operand][static_cast<std::size_t>(ravel_broadcast(place, dims))]);
  };
  const double own = taken(0, at, shape.input) * taken(1, entry, shape.table);
  const double across = taken(0, other, shape.input) * taken(2, entry, shape.table);
  return {first ? own - across : own + across, std::abs(own) + std::abs(across)};
}

}  // namespace benanza::verify
