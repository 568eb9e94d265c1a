#include "core/problem/ops/concat.h"

namespace benanza {

void Concat::write(KeyWriter& writer) const {
  for (const Dims& part : parts) writer.dims("", part);
  writer.integer("a", axis);
}

Concat Concat::read(KeyReader& reader) {
  Concat shape;
  while (!reader.at_end() && !reader.next_is("a")) shape.parts.push_back(reader.dims(""));
  shape.axis = reader.integer("a");
  if (shape.parts.empty() || shape.axis < 0 ||
      shape.axis >= static_cast<std::int64_t>(shape.parts.front().size())) {
    reader.fail("parts and one of their axes");
  }
  for (Dims part : shape.parts) {
    if (part.size() == shape.parts.front().size()) {
      const auto axis = static_cast<std::size_t>(shape.axis);
      part[axis] = shape.parts.front()[axis];
    }
    if (part != shape.parts.front()) reader.fail("parts that differ along the axis only");
  }
  return shape;
}

std::vector<Operand> Concat::inputs() const {
  std::vector<Operand> operands;
  for (const Dims& part : parts) operands.push_back({.name = "part", .dims = part});
  return operands;
}

Dims Concat::output() const {
  Dims dims = parts.front();
  const auto joined = static_cast<std::size_t>(axis);
  dims[joined] = 0;
  for (const Dims& part : parts) dims[joined] = saturated_sum(dims[joined], part[joined]);
  return dims;
}

}  // namespace benanza
