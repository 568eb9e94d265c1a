#include "core/problem/ops/reduction.h"

#include <algorithm>
#include <array>
#include <numeric>

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

std::optional<std::array<std::int64_t, 3>> Reduction::adjacent(bool channels_last) const {
  constexpr std::size_t least_image_rank = 3;
  std::vector<std::size_t> order(input.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (channels_last && input.size() >= least_image_rank) {
    std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  }
  std::array<std::int64_t, 3> extents{1, 1, 1};
  std::size_t part = 0;
  for (const std::size_t axis : order) {
    if (input[axis] == 1) continue;
    const bool is_reduced = std::ranges::find(axes, static_cast<std::int64_t>(axis)) != axes.end();
    if (is_reduced && part == 2) return std::nullopt;
    if (is_reduced) part = 1;
    if (!is_reduced && part == 1) part = 2;
    extents[part] *= input[axis];
  }
  return extents;
}

Dims Reduction::output() const {
  Dims dims = input;
  for (const std::int64_t axis : axes) dims[static_cast<std::size_t>(axis)] = 1;
  return dims;
}

}  // namespace benanza
