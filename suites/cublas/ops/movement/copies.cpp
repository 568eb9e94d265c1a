#include "suites/cublas/ops/movement/movement.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "suites/harness/primitive.h"

namespace benanza::cublas {
namespace {

struct Axis {
  std::int64_t extent = 0;
  std::int64_t from = 0;
  std::int64_t to = 0;

  bool repeats() const { return from == 0; }
  std::int64_t source_extent() const { return repeats() ? 1 : extent; }
};
using Axes = std::vector<Axis>;

Axes axes_of(const Copy& copy) {
  Axes axes;
  for (std::size_t i = 0; i < copy.dims.size(); ++i) {
    axes.push_back({copy.dims[i], copy.from[i], copy.to[i]});
  }
  return axes;
}

/// The axis with contiguous elements.
std::size_t dense_axis(const Dims& strides) {
  const auto found = std::ranges::find(strides, 1);
  if (found == strides.end()) {
    throw harness::Unsupported("cuBLAS moves matrices: here every element lies apart");
  }
  return static_cast<std::size_t>(found - strides.begin());
}

}  // namespace

MatrixMove matrix_move(const Copy& shape) {
  const Copy copy = shape.canonical();
  const std::size_t axes = copy.dims.size();
  if (axes < 2 || axes > 3) {
    throw harness::Unsupported("cuBLAS moves matrices: this is no batch of them");
  }
  const std::size_t dense_from = dense_axis(copy.from);
  const std::size_t dense_to = dense_axis(copy.to);
  // The remaining axis, besides rows and columns, is the batch.
  std::size_t columns = dense_to;
  if (dense_from == dense_to) {
    columns = dense_from == 0 ? 1 : 0;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      if (axis != dense_from && copy.dims[axis] > copy.dims[columns]) columns = axis;
    }
  }
  std::optional<std::size_t> batch;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    if (axis != dense_from && axis != columns) batch = axis;
  }
  MatrixMove move{.source = {.rows = copy.dims[dense_from],
                             .columns = copy.dims[columns],
                             .ld = copy.from[columns],
                             .stride = batch ? copy.from[*batch] : 0},
                  .result = {.rows = copy.dims[dense_from],
                             .columns = copy.dims[columns],
                             .ld = copy.to[columns],
                             .stride = batch ? copy.to[*batch] : 0},
                  .transposed = dense_from != dense_to,
                  .batches = batch ? copy.dims[*batch] : 1};
  if (move.transposed) {
    std::swap(move.result.rows, move.result.columns);
    move.result.ld = copy.to[dense_from];
  }
  if (move.source.ld < move.source.rows || move.result.ld < move.result.rows) {
    throw harness::Unsupported("cuBLAS moves matrices: columns overlap here");
  }
  return move;
}

namespace {

/// The axis for which `stride` is 1, removed from `axes`.
Axis take_dense(Axes& axes, std::int64_t Axis::*stride) {
  const auto found = std::ranges::find(axes, 1, stride);
  if (found == axes.end()) {
    throw harness::Unsupported("cuBLAS moves blocks: here every element lies apart");
  }
  const Axis axis = *found;
  axes.erase(found);
  return axis;
}

/// The axes of a copy: one with the source's contiguous elements, one along which columns follow
/// each other, and the rest.
struct Blocks {
  Axis rows{};
  Axis columns{};
  Axes others{};
  bool transposed = false;
};

Blocks blocks_of(const Copy& shape) {
  const Copy copy = shape.canonical();
  Blocks blocks{.others = axes_of(copy)};
  Axes& axes = blocks.others;
  blocks.rows = take_dense(axes, &Axis::from);
  blocks.transposed = blocks.rows.to != 1;
  if (axes.size() < (blocks.transposed ? 1 : 2)) {
    throw harness::Unsupported(
        "a matrix that is not transposed: cuBLAS moves it without a product");
  }
  if (blocks.transposed) {
    blocks.columns = take_dense(axes, &Axis::to);
  } else {
    // The longest, so that there are few matrices.
    const auto longest = std::ranges::max_element(axes, {}, &Axis::extent);
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
  const Axis& rows = blocks.rows;
  const Axis& columns = blocks.columns;
  const bool is_source = side == Side::source;
  BlockMove move{.length = length,
                 .count = (is_source ? columns : rows).extent,
                 .ld_source = columns.from,
                 .ld_result = blocks.transposed ? rows.to : columns.to,
                 .transposed = blocks.transposed,
                 .side = side};
  const Axis& divided = is_source ? rows : columns;
  if (divided.extent > length) {
    blocks.others.push_back({divided.extent / length, length * divided.from, length * divided.to});
  }
  move.sources = {0};
  move.results = {0};
  for (const Axis& axis : blocks.others) {
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

namespace {

constexpr std::int64_t longest_sum = 1024;
constexpr std::int64_t most_ones = 1 << 22;
/// A product with shorter rows is no faster than its smallest tile.
constexpr std::int64_t shortest_row = 8;

/// In the order of the result. Throws Unsupported unless both sides are dense in this order.
Axes dense_axes(const Copy& shape) {
  Axes axes = axes_of(shape);
  std::ranges::stable_sort(axes, std::ranges::greater(), &Axis::to);
  if (std::ranges::none_of(axes, &Axis::repeats)) {
    throw harness::Unsupported("no element is repeated");
  }
  std::int64_t to = 1;
  std::int64_t from = 1;
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    if (axis->to != to || (!axis->repeats() && axis->from != from)) {
      throw harness::Unsupported("cuBLAS repeats elements in the order of dense rows");
    }
    to *= axis->extent;
    from *= axis->source_extent();
  }
  return axes;
}

std::int64_t product(Axes::const_iterator begin, Axes::const_iterator end,
                     std::int64_t (*extent)(const Axis&)) {
  return std::accumulate(begin, end, std::int64_t{1}, [=](std::int64_t value, const Axis& axis) {
    return value * extent(axis);
  });
}
std::int64_t extent_of(const Axis& axis) { return axis.extent; }
std::int64_t source_extent_of(const Axis& axis) { return axis.source_extent(); }

/// Element i of the axes' result is element sources[i] of their source.
std::vector<std::int64_t> sources(Axes::const_iterator begin, Axes::const_iterator end) {
  std::vector<std::int64_t> found{0};
  for (auto axis = begin; axis != end; ++axis) {
    std::vector<std::int64_t> next;
    for (const std::int64_t source : found) {
      for (std::int64_t i = 0; i < axis->extent; ++i) {
        next.push_back(source * axis->source_extent() + (axis->repeats() ? 0 : i));
      }
    }
    found = std::move(next);
  }
  return found;
}

void check_size(const RepeatProduct& made) {
  const std::int64_t side = made.side == Repeats::rows ? made.m : made.n;
  if (made.k > longest_sum || made.k * side > most_ones) {
    throw harness::Unsupported("products that repeat these elements would multiply too much");
  }
}

}  // namespace

RepeatProduct repeat_product(const Copy& shape, Repeats side) {
  const Axes axes = dense_axes(shape);
  RepeatProduct made;
  made.side = side;
  auto begin = axes.begin();
  if (side == Repeats::columns) {
    if (begin->repeats()) {
      made.batches = begin->extent;
      ++begin;
    }
    const auto first = std::find_if(begin, axes.end(), std::mem_fn(&Axis::repeats));
    if (first == axes.end()) throw harness::Unsupported("only rows are repeated");
    made.m = product(begin, first, extent_of);
    made.k = product(first, axes.end(), source_extent_of);
    made.n = product(first, axes.end(), extent_of);
    check_size(made);
    made.ones.assign(static_cast<std::size_t>(made.k * made.n), 0);
    const std::vector<std::int64_t> from = sources(first, axes.end());
    for (std::size_t column = 0; column < from.size(); ++column) {
      made.ones[static_cast<std::size_t>(from[column] * made.n) + column] = 1;
    }
    return made;
  }
  auto end = axes.end();
  while (!std::prev(end)->repeats()) --end;
  if (!begin->repeats()) {
    made.batches = begin->extent;
    ++begin;
  }
  made.m = product(begin, end, extent_of);
  made.k = product(begin, end, source_extent_of);
  made.n = product(end, axes.end(), extent_of);
  if (made.n < shortest_row) throw harness::Unsupported("the repeated rows are short");
  check_size(made);
  if (made.batches > 1) made.stride_data = made.k * made.n;
  made.ones.assign(static_cast<std::size_t>(made.m * made.k), 0);
  const std::vector<std::int64_t> from = sources(begin, end);
  for (std::size_t row = 0; row < from.size(); ++row) {
    made.ones[row * static_cast<std::size_t>(made.k) + static_cast<std::size_t>(from[row])] = 1;
  }
  return made;
}

}  // namespace benanza::cublas
