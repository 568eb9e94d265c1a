#include "core/problem/window.h"

#include <algorithm>
#include <limits>
#include <string>

namespace benanza {
namespace {

/// The largest number of a window, so that a kernel times its dilation fits 64 bits.
constexpr std::int64_t most_of_window = std::numeric_limits<std::int32_t>::max();

bool is_beyond(const Dims& values) {
  return std::any_of(values.begin(), values.end(), [](std::int64_t value) {
    return value > most_of_window || value < -most_of_window;
  });
}

bool all_positive(const Dims& values) {
  return std::all_of(values.begin(), values.end(), [](std::int64_t value) { return value > 0; });
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
  return std::any_of(pads.begin(), pads.end(), [](std::int64_t pad) { return pad != 0; });
}

void Window::write(KeyWriter& writer, const Dims& before_kernel) const {
  Dims k = before_kernel;
  k.insert(k.end(), kernel.begin(), kernel.end());
  writer.dims("k", k).dims("p", pads, '.').dims("s", strides).dims("d", dilations);
}

Window Window::read(KeyReader& reader, const Dims& spatial, std::size_t leading,
                    Dims& before_kernel) {
  Window window = read_unplaced(reader, spatial.size(), leading, before_kernel);
  if (!all_positive(window.output(spatial))) reader.fail("a window that fits the padded input");
  return window;
}

Window Window::read_unplaced(KeyReader& reader, std::size_t rank, std::size_t leading,
                             Dims& before_kernel) {
  Dims k = reader.dims("k");
  if (k.size() != leading + rank) reader.fail("a kernel of the input's rank");
  before_kernel.assign(k.begin(), k.begin() + static_cast<std::ptrdiff_t>(leading));
  Window window;
  window.kernel.assign(k.begin() + static_cast<std::ptrdiff_t>(leading), k.end());
  window.pads = reader.dims("p", '.');
  window.strides = reader.dims("s");
  window.dilations = reader.dims("d");
  if (window.pads.size() != 2 * window.rank()) reader.fail("a begin and an end pad per axis");
  if (window.strides.size() != window.rank()) reader.fail("one stride per axis");
  if (window.dilations.size() != window.rank()) reader.fail("one dilation per axis");
  if (is_beyond(window.kernel) || is_beyond(window.pads) || is_beyond(window.strides) ||
      is_beyond(window.dilations)) {
    reader.too_large("kernel, pads, strides and dilations are " + std::to_string(most_of_window) +
                     " at most");
  }
  if (!all_positive(window.kernel) || !all_positive(window.strides) ||
      !all_positive(window.dilations)) {
    reader.fail("positive kernel, strides and dilations");
  }
  return window;
}

}  // namespace benanza
