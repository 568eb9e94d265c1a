#include "core/problem/ops/reduction.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace benanza {
namespace {

constexpr std::array<std::string_view, 8> reduction_ops{"reducemean", "reducesum",      "reducemax",
                                                        "reducemin",  "reduceprod",     "reducel1",
                                                        "reducel2",   "reducesumsquare"};

}  // namespace

bool Reduction::owns(std::string_view op) {
  return std::ranges::find(reduction_ops, op) != reduction_ops.end();
}

std::string_view Reduction::op() const { return reduction_ops[static_cast<std::size_t>(kind)]; }

void Reduction::map(KeyFields& fields) {
  if (const KeyReader* reader = fields.reader()) {
    kind = static_cast<ReductionKind>(std::ranges::find(reduction_ops, reader->op()) -
                                      reduction_ops.begin());
  }
  fields.dims("", input).dims("a", axes, '.');
  std::int64_t least = 0;
  for (const std::int64_t axis : axes) {
    fields.require(axis >= least && axis < static_cast<std::int64_t>(input.size()),
                   "ascending axes of the input");
    least = axis + 1;
  }
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
