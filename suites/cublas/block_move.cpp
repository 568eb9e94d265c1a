#include "suites/cublas/block_move.h"

#include <algorithm>
#include <optional>
#include <string>

#include "suites/harness/primitive.h"

namespace benanza::cublas {
namespace {

constexpr std::int64_t step = 8;

/// The largest divisor of `elements` that is a multiple of 8 and at most most_block_elements.
std::int64_t part_of(std::int64_t elements) {
  for (std::int64_t part = most_block_elements; part >= step; part -= step) {
    if (elements % part == 0) return part;
  }
  throw harness::Unsupported("cuBLAS moves blocks of a multiple of 8 elements");
}

struct Axis {
  std::int64_t extent;
  std::int64_t from;
  std::int64_t to;
};

/// The axis for which `stride` is 1, removed from `axes`.
Axis take_dense(std::vector<Axis>& axes, std::int64_t Axis::*stride) {
  const auto found = std::ranges::find(axes, 1, stride);
  if (found == axes.end()) {
    throw harness::Unsupported("cuBLAS moves blocks: here every element lies apart");
  }
  const Axis axis = *found;
  axes.erase(found);
  return axis;
}

}  // namespace

BlockMove block_move(const Copy& shape, std::size_t most) {
  const Copy copy = shape.canonical();
  std::vector<Axis> axes;
  for (std::size_t axis = 0; axis < copy.dims.size(); ++axis) {
    axes.push_back({copy.dims[axis], copy.from[axis], copy.to[axis]});
  }
  const Axis rows = take_dense(axes, &Axis::from);
  const bool transposed = rows.to != 1;
  if (axes.size() < (transposed ? 1 : 2)) {
    throw harness::Unsupported(
        "a matrix that is not transposed: cuBLAS moves it without a product");
  }
  Axis columns{};
  if (transposed) {
    columns = take_dense(axes, &Axis::to);
  } else {
    // The longest, so that there are few matrices.
    const auto longest = std::ranges::max_element(axes, {}, &Axis::extent);
    columns = *longest;
    axes.erase(longest);
  }
  BlockMove move{.length = part_of(rows.extent),
                 .count = columns.extent,
                 .ld_source = columns.from,
                 .ld_result = transposed ? rows.to : columns.to,
                 .transposed = transposed};
  if (move.ld_source < rows.extent || move.ld_result < (transposed ? move.count : rows.extent)) {
    throw harness::Unsupported("cuBLAS moves blocks: here columns overlap");
  }
  if (rows.extent > move.length) {
    axes.push_back({rows.extent / move.length, move.length, move.length * rows.to});
  }
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
