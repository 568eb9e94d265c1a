#include "suites/cublas/ops/movement_by_products/repeats.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "suites/harness/primitive.h"

namespace benanza::cublas {
namespace {

constexpr std::int64_t longest_sum = 1024;
constexpr std::int64_t most_ones = 1 << 22;
/// A product with shorter rows is no faster than its smallest tile.
constexpr std::int64_t shortest_row = 8;

struct RepeatsAxis {
  std::int64_t extent = 0;
  std::int64_t from = 0;
  std::int64_t to = 0;

  bool repeats() const { return from == 0; }
  std::int64_t source_extent() const { return repeats() ? 1 : extent; }
};
using Axes = std::vector<RepeatsAxis>;

/// In the order of the result. Throws Unsupported unless both sides are dense in this order.
Axes dense_axes(const Copy& shape) {
  Axes axes;
  for (std::size_t i = 0; i < shape.dims.size(); ++i) {
    axes.push_back({shape.dims[i], shape.from[i], shape.to[i]});
  }
  std::ranges::stable_sort(axes, std::ranges::greater(), &RepeatsAxis::to);
  if (std::ranges::none_of(axes, &RepeatsAxis::repeats)) {
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
                     std::int64_t (*extent)(const RepeatsAxis&)) {
  return std::accumulate(
      begin, end, std::int64_t{1},
      [=](std::int64_t value, const RepeatsAxis& axis) { return value * extent(axis); });
}
std::int64_t extent_of(const RepeatsAxis& axis) { return axis.extent; }
std::int64_t source_extent_of(const RepeatsAxis& axis) { return axis.source_extent(); }

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
    const auto first = std::find_if(begin, axes.end(), std::mem_fn(&RepeatsAxis::repeats));
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
