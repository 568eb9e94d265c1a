#include "core/problem/ops/rotary.h"

namespace benanza {

void Rotary::map(KeyFields& fields) {
  constexpr std::size_t axes = 4;
  fields.dims("", input);
  fields.require(input.size() == axes && input.back() % 2 == 0,
                 "an input of four axes, the last one even");
  fields.dims("t", table).require(table.size() == axes, "tables of four axes");
  if (fields.reader() != nullptr) {
    for (std::size_t axis = 0; axis + 1 < axes; ++axis) {
      fields.require(table[axis] == input[axis] || table[axis] == 1, "tables that broadcast");
    }
    fields.require(table.back() == input.back() || table.back() == half(),
                   "tables of a row or half a row");
  }
  fields.flag("interleaved", interleaved);
}

std::vector<Operand> Rotary::inputs() const {
  return {{.name = "input", .dims = input},
          {.name = "cosines", .dims = table},
          {.name = "sines", .dims = table}};
}

}  // namespace benanza
