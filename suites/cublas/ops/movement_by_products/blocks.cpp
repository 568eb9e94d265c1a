#include "suites/cublas/ops/movement_by_products/blocks.h"

#include <algorithm>
#include <string>

#include "suites/harness/primitive.h"

namespace benanza::cublas {
namespace {

struct BlocksAxis {
  std::int64_t extent;
  std::int64_t from;
  std::int64_t to;
};

/// The axis for which `stride` is 1, removed from `axes`.
BlocksAxis take_dense(std::vector<BlocksAxis>& axes, std::int64_t BlocksAxis::*stride) {
  const auto found = std::ranges::find(axes, 1, stride);
  if (found == axes.end()) {
    throw harness::Unsupported("cuBLAS moves blocks: here every element lies apart");
  }
  const BlocksAxis axis = *found;
  axes.erase(found);
  return axis;
}

/// The axes of a copy: one with the source's contiguous elements, one along which columns follow
/// each other, and the rest.
struct Blocks {
  BlocksAxis rows{};
  BlocksAxis columns{};
  std::vector<BlocksAxis> others{};
  bool transposed = false;
};

Blocks blocks_of(const Copy& shape) {
  const Copy copy = shape.canonical();
  Blocks blocks;
  std::vector<BlocksAxis>& axes = blocks.others;
  for (std::size_t axis = 0; axis < copy.dims.size(); ++axis) {
    axes.push_back({copy.dims[axis], copy.from[axis], copy.to[axis]});
  }
  blocks.rows = take_dense(axes, &BlocksAxis::from);
  blocks.transposed = blocks.rows.to != 1;
  if (axes.size() < (blocks.transposed ? 1 : 2)) {
    throw harness::Unsupported(
        "a matrix that is not transposed: cuBLAS moves it without a product");
  }
  if (blocks.transposed) {
    blocks.columns = take_dense(axes, &BlocksAxis::to);
  } else {
    // The longest, so that there are few matrices.
    const auto longest = std::ranges::max_element(axes, {}, &BlocksAxis::extent);
    blocks.columns = *longest;
    axes.erase(longest);
  }
  const std::int64_t least = blocks.transposed ? blocks.columns.extent : blocks.rows.extent;
  const std::int64_t ld_result = blocks.transposed ? blocks.rows.to : blocks.columns.to;
  if (blocks.columns.from < blocks.rows.extent || ld_result < least) {
    throw harness::Unsupported("cuBLAS moves blocks: here columns overlap");
  }
  return blocks;
}

}  // namespace

std::vector<std::int64_t> block_lengths(const Copy& shape, Side side) {
  constexpr std::int64_t step = 8;
  const Blocks blocks = blocks_of(shape);
  std::vector<std::int64_t> lengths;
  if (side == Side::result && !blocks.transposed) return lengths;
  const std::int64_t elements = (side == Side::source ? blocks.rows : blocks.columns).extent;
  for (const std::int64_t length : {most_block_elements, std::int64_t{64}, std::int64_t{32}}) {
    if (elements % length == 0) lengths.push_back(length);
  }
  for (std::int64_t length = most_block_elements; lengths.empty(); length -= step) {
    if (length == 0) {
      throw harness::Unsupported("cuBLAS moves blocks of a multiple of 8 elements");
    }
    if (elements % length == 0) lengths.push_back(length);
  }
  return lengths;
}

BlockMove block_move(const Copy& shape, Side side, std::int64_t length, std::size_t most) {
  Blocks blocks = blocks_of(shape);
  const BlocksAxis& rows = blocks.rows;
  const BlocksAxis& columns = blocks.columns;
  const bool is_source = side == Side::source;
  BlockMove move{.length = length,
                 .count = (is_source ? columns : rows).extent,
                 .ld_source = columns.from,
                 .ld_result = blocks.transposed ? rows.to : columns.to,
                 .transposed = blocks.transposed,
                 .side = side};
  const BlocksAxis& divided = is_source ? rows : columns;
  if (divided.extent > length) {
    blocks.others.push_back({divided.extent / length, length * divided.from, length * divided.to});
  }
  move.sources = {0};
  move.results = {0};
  for (const BlocksAxis& axis : blocks.others) {
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

BlockMove in_units(BlockMove move, std::int64_t element_bytes, std::int64_t unit_bytes) {
  if (move.transposed) throw harness::Unsupported("a transposition moves single elements");
  const auto convert = [=](std::int64_t& elements) {
    const std::int64_t bytes = elements * element_bytes;
    if (bytes % unit_bytes != 0)
      throw harness::Unsupported("a row does not consist of whole words");
    elements = bytes / unit_bytes;
  };
  for (std::int64_t* const value : {&move.length, &move.ld_source, &move.ld_result}) {
    convert(*value);
  }
  std::ranges::for_each(move.sources, convert);
  std::ranges::for_each(move.results, convert);
  return move;
}

}  // namespace benanza::cublas
