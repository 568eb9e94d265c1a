#include "suites/cutensor/permuted_modes.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "suites/harness/primitive.h"

namespace benanza::cutensor {
namespace {

void add_mode(PermutedModes::View& view, std::size_t axis, std::int64_t extent,
              std::int64_t stride) {
  view.names.push_back(static_cast<std::int32_t>(axis));
  view.extents.push_back(extent);
  view.strides.push_back(stride);
}

}  // namespace

PermutedModes permuted_modes(const Copy& shape) {
  std::vector<std::size_t> axes(shape.dims.size());
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  std::ranges::stable_sort(axes, {}, [&](std::size_t axis) { return shape.to[axis]; });
  PermutedModes modes;
  for (const std::size_t axis : axes) {
    if (shape.from[axis] < 0 || shape.to[axis] <= 0) {
      throw harness::Unsupported("cuTENSOR has strides above 0 only");
    }
    if (shape.from[axis] > 0) add_mode(modes.source, axis, shape.dims[axis], shape.from[axis]);
    add_mode(modes.result, axis, shape.dims[axis], shape.to[axis]);
  }
  return modes;
}

Copy in_words(Copy shape, std::int64_t elements) {
  bool has_rows = false;
  for (std::size_t axis = 0; axis < shape.dims.size(); ++axis) {
    std::int64_t& from = shape.from[axis];
    std::int64_t& to = shape.to[axis];
    const bool is_row = from == 1 && to == 1;
    has_rows = has_rows || is_row;
    const bool fits =
        is_row ? shape.dims[axis] % elements == 0 : from % elements == 0 && to % elements == 0;
    if (!fits) throw harness::Unsupported("no rows of whole words of eight bytes");
    if (is_row) {
      shape.dims[axis] /= elements;
    } else {
      from /= elements;
      to /= elements;
    }
  }
  if (!has_rows) throw harness::Unsupported("no rows of whole words of eight bytes");
  return shape;
}

std::uint32_t alignment_bytes(const PermutedModes::View& view, std::int64_t element_bytes) {
  constexpr std::uint32_t whole = 16;
  std::int64_t elements = 1;
  std::int64_t span = 1;
  for (std::size_t mode = 0; mode < view.names.size(); ++mode) {
    elements *= view.extents[mode];
    span += (view.extents[mode] - 1) * view.strides[mode];
  }
  return elements == span ? whole : static_cast<std::uint32_t>(element_bytes);
}

}  // namespace benanza::cutensor
