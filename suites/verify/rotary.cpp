#include <cmath>

#include "suites/verify/coordinates.h"
#include "suites/verify/operators.h"

namespace benanza::verify {

Element element(const Rotary& shape, Operands operands, const Dims& at) {
  const bool first = at.back() < shape.half();
  Dims other = at;
  other.back() += first ? shape.half() : -shape.half();
  Dims entry = at;
  entry.back() %= shape.table.back();
  const auto taken = [&](std::size_t operand, const Dims& place, const Dims& dims) {
    return static_cast<double>(
        operands[operand][static_cast<std::size_t>(ravel_broadcast(place, dims))]);
  };
  const double own = taken(0, at, shape.input) * taken(1, entry, shape.table);
  const double across = taken(0, other, shape.input) * taken(2, entry, shape.table);
  return {first ? own - across : own + across, std::abs(own) + std::abs(across)};
}

}  // namespace benanza::verify
