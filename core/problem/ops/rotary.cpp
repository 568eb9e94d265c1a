#include "core/problem/ops/rotary.h"

namespace benanza {

void Rotary::write(KeyWriter& writer) const {
  writer.dims("", input).dims("t", table);
  if (interleaved) writer.word("interleaved");
}

Rotary Rotary::read(KeyReader& reader) {
  constexpr std::size_t axes = 4;
  Rotary shape;
  shape.input = reader.dims("");
  if (shape.input.size() != axes || shape.input.back() % 2 != 0) {
    reader.fail("an input of four axes, the last one even");
  }
  shape.table = reader.dims("t");
  if (shape.table.size() != axes) reader.fail("tables of four axes");
  for (std::size_t axis = 0; axis + 1 < axes; ++axis) {
    if (shape.table[axis] != shape.input[axis] && shape.table[axis] != 1) {
      reader.fail("tables that broadcast");
    }
  }
  if (shape.table.back() != shape.input.back() && shape.table.back() != shape.half()) {
    reader.fail("tables of a row or half a row");
  }
  shape.interleaved = reader.accept("interleaved");
  return shape;
}

std::vector<Operand> Rotary::inputs() const {
  return {{.name = "input", .dims = input},
          {.name = "cosines", .dims = table},
          {.name = "sines", .dims = table}};
}

}  // namespace benanza
