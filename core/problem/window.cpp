#include "core/problem/window.h"

#include <algorithm>
#include <limits>
#include <string>

namespace benanza {
namespace {

/// The largest number of a window, so that a kernel times its dilation fits 64 bits.
constexpr std::int64_t most_of_window = std::numeric_limits<std::int32_t>::max();

bool is_beyond(const Dims& values) {
  return std::ranges::any_of(
      values, [](std::int64_t value) { return value > most_of_window || value < -most_of_window; });
}

bool all_positive(const Dims& values) {
  return std::ranges::all_of(values, [](std::int64_t value) { return value > 0; });
}

// A profile may describe a window of any numbers, which are computed before they are refused.

/// Inputs from the first tap to the last one.
std::int64_t reach_of(const Window& window, std::size_t axis) {
  const std::int64_t steps =
      saturated_product(window.dilations[axis], saturated_sum(window.kernel[axis], -1));
  return saturated_sum(steps, 1);
}

std::int64_t pads_of(const Window& window, std::size_t axis) {
  return saturated_sum(window.pads[axis], window.pads[axis + window.rank()]);
}

/// How far the window can move; negative if it does not fit.
std::int64_t room_of(const Window& window, std::size_t axis, const Dims& spatial) {
  return saturated_sum(saturated_sum(spatial[axis], pads_of(window, axis)),
                       saturated_product(-1, reach_of(window, axis)));
}

}  // namespace

Dims spatial(const Dims& dims) { return {dims.begin() + 2, dims.end()}; }

Dims Window::output(const Dims& spatial) const {
  Dims extents(rank());
  for (std::size_t axis = 0; axis < rank(); ++axis) {
    const std::int64_t room = room_of(*this, axis, spatial);
    extents[axis] = room < 0 || strides[axis] < 1 ? 0 : room / strides[axis] + 1;
  }
  return extents;
}

Dims Window::transposed_output(const Dims& spatial) const {
  Dims extents(rank());
  for (std::size_t axis = 0; axis < rank(); ++axis) {
    const std::int64_t steps = saturated_product(saturated_sum(spatial[axis], -1), strides[axis]);
    extents[axis] = saturated_sum(saturated_sum(steps, reach_of(*this, axis)),
                                  saturated_product(-1, pads_of(*this, axis)));
  }
  return extents;
}

Dims Window::round_up(const Dims& spatial) {
  Dims overhang(rank(), 0);
  for (std::size_t axis = 0; axis < rank(); ++axis) {
    const std::int64_t room = room_of(*this, axis, spatial);
    const std::int64_t stride = strides[axis];
    const std::int64_t last = (room + stride - 1) / stride * stride;
    if (last > 0 && last >= spatial[axis] + pads[axis]) {
      if (room % stride == 0) --pads[axis + rank()];
    } else if (last > room) {
      overhang[axis] = last - room;
      pads[axis + rank()] += overhang[axis];
    }
  }
  return overhang;
}

bool Window::has_padding() const {
  return std::ranges::any_of(pads, [](std::int64_t pad) { return pad != 0; });
}

void Window::map(KeyFields& fields, const Dims& input, std::int64_t* filters) {
  map_unplaced(fields, input, filters);
  if (fields.reader() == nullptr) return;
  fields.require(all_positive(output(spatial(input))), "a window that fits the padded input");
}

void Window::map_unplaced(KeyFields& fields, const Dims& input, std::int64_t* filters) {
  Dims k = kernel;
  if (filters != nullptr) k.insert(k.begin(), *filters);
  fields.dims("k", k);
  KeyReader* const reader = fields.reader();
  if (reader != nullptr) {
    const std::size_t leading = filters != nullptr ? 1 : 0;
    fields.require(k.size() + 2 == leading + input.size(), "a kernel of the input's rank");
    if (filters != nullptr) *filters = k.front();
    kernel.assign(k.begin() + static_cast<std::ptrdiff_t>(leading), k.end());
  }
  fields.dims("p", pads, '.').dims("s", strides).dims("d", dilations);
  if (reader == nullptr) return;
  fields.require(pads.size() == 2 * rank(), "a begin and an end pad per axis");
  fields.require(strides.size() == rank(), "one stride per axis");
  fields.require(dilations.size() == rank(), "one dilation per axis");
  if (is_beyond(kernel) || is_beyond(pads) || is_beyond(strides) || is_beyond(dilations)) {
    reader->too_large("kernel, pads, strides and dilations are " + std::to_string(most_of_window) +
                      " at most");
  }
  fields.require(all_positive(kernel) && all_positive(strides) && all_positive(dilations),
                 "positive kernel, strides and dilations");
}

}  // namespace benanza
