#include "suites/cublas/row_move.h"

#include <algorithm>
#include <optional>

#include "suites/harness/primitive.h"

namespace benanza::cublas {
namespace {

constexpr std::int64_t row_step = 8;

/// The largest divisor of `elements` that is a multiple of 8 and at most most_row_elements.
std::int64_t part_of_row(std::int64_t elements) {
  for (std::int64_t part = most_row_elements; part >= row_step; part -= row_step) {
    if (elements % part == 0) return part;
  }
  throw harness::Unsupported("cuBLAS moves rows of a multiple of 8 elements");
}

struct Axis {
  std::int64_t extent;
  std::int64_t from;
  std::int64_t to;
};

}  // namespace

RowMove row_move(const Copy& shape, std::size_t most) {
  constexpr std::size_t least_axes = 3;
  const Copy copy = shape.canonical();
  if (copy.dims.size() < least_axes) {
    throw harness::Unsupported("a matrix: cuBLAS moves it without a product");
  }
  std::vector<Axis> axes;
  std::optional<std::int64_t> row;
  for (std::size_t axis = 0; axis < copy.dims.size(); ++axis) {
    if (copy.from[axis] == 1 && copy.to[axis] == 1) {
      row = copy.dims[axis];
    } else {
      axes.push_back({copy.dims[axis], copy.from[axis], copy.to[axis]});
    }
  }
  if (!row) throw harness::Unsupported("cuBLAS moves rows: here elements lie apart");
  RowMove move{.length = part_of_row(*row)};
  // The columns of a matrix: the longest axis, so that there are few matrices.
  const auto longest = std::ranges::max_element(axes, {}, &Axis::extent);
  move.count = longest->extent;
  move.ld_source = longest->from;
  move.ld_result = longest->to;
  if (std::min(move.ld_source, move.ld_result) < *row) {
    throw harness::Unsupported("cuBLAS moves rows: here they overlap");
  }
  axes.erase(longest);
  if (*row > move.length) axes.push_back({*row / move.length, move.length, move.length});
  move.sources = {0};
  move.results = {0};
  for (const Axis& axis : axes) {
    if (move.sources.size() > most / static_cast<std::size_t>(axis.extent)) {
      throw harness::Unsupported("more than " + std::to_string(most) + " matrices");
    }
    const std::size_t before = move.sources.size();
    for (std::int64_t i = 1; i < axis.extent; ++i) {
      for (std::size_t matrix = 0; matrix < before; ++matrix) {
        move.sources.push_back(move.sources[matrix] + i * axis.from);
        move.results.push_back(move.results[matrix] + i * axis.to);
      }
    }
  }
  return move;
}

}  // namespace benanza::cublas
