#include "suites/cudnn/primitive/padding.h"

#include <algorithm>

namespace benanza::cudnn {

bool Padding::needs_copy() const {
  auto zero = [](std::int64_t pad) { return pad == 0; };
  return !std::ranges::all_of(begin, zero) || !std::ranges::all_of(end, zero);
}

Padding split_padding(const Window& window, const Dims& spatial) {
  const std::size_t rank = window.rank();
  const Dims output = window.output(spatial);
  Padding padding{.symmetric = Dims(rank), .begin = Dims(rank), .end = Dims(rank)};
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const std::int64_t first = window.pads[axis];
    const std::int64_t reach = (window.kernel[axis] - 1) * window.dilations[axis] + 1;
    const std::int64_t stride = window.strides[axis];
    const std::int64_t symmetric_output = (spatial[axis] + 2 * first - reach) / stride + 1;
    if (spatial[axis] + 2 * first >= reach && symmetric_output == output[axis]) {
      padding.symmetric[axis] = first;
      continue;
    }
    const std::int64_t last_tap = (output[axis] - 1) * stride + reach;
    const std::int64_t last = std::max<std::int64_t>(0, last_tap - first - spatial[axis]);
    padding.symmetric[axis] = std::min(first, last);
    padding.begin[axis] = first - padding.symmetric[axis];
    padding.end[axis] = last - padding.symmetric[axis];
  }
  return padding;
}

}  // namespace benanza::cudnn
