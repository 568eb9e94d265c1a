#include "generator/onnx/operators/shared/part_sizes.h"

#include <algorithm>
#include <numeric>

#include "core/base/error.h"

namespace benanza::onnx {

std::size_t split_axis(const NodeView& split) {
  const Dims& dims = split.shape(0);
  return static_cast<std::size_t>(NodeView::axis(split.integer("axis", 0), dims.size()));
}

Dims part_sizes(const NodeView& split) {
  constexpr std::int64_t most_parts = 4096;
  const std::int64_t extent = split.shape(0)[split_axis(split)];
  Dims sizes;
  if (split.has_input(1) && !split.shape(1).empty()) {
    sizes = split.integers(1);
  } else {
    const std::int64_t size = split.has_input(1) ? split.integers(1).at(0) : 1;
    if (size < 1 || extent / size > most_parts) throw NotExpressible("too many parts");
    for (std::int64_t left = extent; left > 0; left -= size) sizes.push_back(std::min(size, left));
  }
  const auto fits = [&](std::int64_t size) { return size >= 0 && size <= extent; };
  if (!std::ranges::all_of(sizes, fits) ||
      std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}) != extent) {
    throw Error("the parts do not add up to the input's extent of " + std::to_string(extent));
  }
  return sizes;
}

}  // namespace benanza::onnx
