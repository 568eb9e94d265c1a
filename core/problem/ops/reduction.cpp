#include "core/problem/ops/reduction.h"

#include <algorithm>
#include <array>

namespace benanza {
namespace {

constexpr std::array<std::string_view, 8> ops{"reducemean", "reducesum",      "reducemax",
                                              "reducemin",  "reduceprod",     "reducel1",
                                              "reducel2",   "reducesumsquare"};

}  // namespace

bool Reduction::owns(std::string_view op) {
  return std::find(ops.begin(), ops.end(), op) != ops.end();
}

std::string_view Reduction::op() const { return ops[static_cast<std::size_t>(kind)]; }

Reduction Reduction::read(KeyReader& reader) {
  Reduction shape;
  shape.kind =
      static_cast<ReductionKind>(std::find(ops.begin(), ops.end(), reader.op()) - ops.begin());
  shape.input = reader.dims("");
  shape.axes = reader.dims("a", '.');
  std::int64_t least = 0;
  for (const std::int64_t axis : shape.axes) {
    if (axis < least || axis >= static_cast<std::int64_t>(shape.input.size())) {
      reader.fail("ascending axes of the input");
    }
    least = axis + 1;
  }
  return shape;
}

Dims Reduction::output() const {
  Dims dims = input;
  for (const std::int64_t axis : axes) dims[static_cast<std::size_t>(axis)] = 1;
  return dims;
}

}  // namespace benanza
