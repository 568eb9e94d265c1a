#include "generator/onnx/operators/shared/sliding_window.h"

#include <algorithm>

#include "core/base/error.h"

namespace benanza::onnx {
namespace {

/// Limit that keeps products with an extent (at most 2^40) within 64 bits.
constexpr std::int64_t most_extent = std::int64_t{1} << 20;

void demand_positive(const Dims& dims, std::string_view name) {
  if (std::ranges::any_of(dims, [](auto value) { return value < 1 || value > most_extent; })) {
    throw Error(std::string(name) + " [" + join(dims, ',') + "] must be 1 to " +
                std::to_string(most_extent));
  }
}

/// Sets start and end pads so that the output has ceil(input / stride) elements.
void pad_to_same(Window& window, const Dims& spatial, bool extra_at_end) {
  for (std::size_t axis = 0; axis < spatial.size(); ++axis) {
    const std::int64_t stride = window.strides[axis];
    const std::int64_t reach = window.dilations[axis] * (window.kernel[axis] - 1) + 1;
    const std::int64_t outputs = (spatial[axis] + stride - 1) / stride;
    const std::int64_t total =
        std::max<std::int64_t>(0, (outputs - 1) * stride + reach - spatial[axis]);
    const std::int64_t small = total / 2;
    window.pads[axis] = extra_at_end ? small : total - small;
    window.pads[axis + spatial.size()] = total - window.pads[axis];
  }
}

}  // namespace

Dims axis_values(const NodeView& node, std::string_view name, std::size_t count,
                 std::int64_t fallback) {
  Dims stated = node.integers(name).value_or(Dims(count, fallback));
  if (stated.size() != count) {
    throw Error(std::string(name) + " [" + join(stated, ',') + "] need " + std::to_string(count) +
                " values here");
  }
  return stated;
}

Window unpadded_window(const NodeView& node, std::size_t rank, const Dims& kernel) {
  if (kernel.size() != rank) {
    throw Error("kernel_shape [" + join(kernel, ',') + "] needs " + std::to_string(rank) +
                " values for an input with " + std::to_string(rank) + " spatial axes");
  }
  Window window{.kernel = kernel,
                .pads = Dims(2 * rank, 0),
                .strides = axis_values(node, "strides", rank, 1),
                .dilations = axis_values(node, "dilations", rank, 1)};
  demand_positive(window.kernel, "kernel_shape");
  demand_positive(window.strides, "strides");
  demand_positive(window.dilations, "dilations");
  return window;
}

void check_pads(const Dims& pads) {
  if (std::ranges::any_of(pads, [](std::int64_t pad) { return pad < 0; })) {
    throw NotExpressible("negative pads");
  }
  if (std::ranges::any_of(pads, [](std::int64_t pad) { return pad > most_extent; })) {
    throw Error("pads [" + join(pads, ',') + "] must be at most " + std::to_string(most_extent));
  }
}

SlidingWindow sliding_window(const NodeView& node, const Dims& spatial, const Dims& kernel) {
  const std::size_t rank = spatial.size();
  SlidingWindow result{unpadded_window(node, rank, kernel), Dims(rank, 0)};
  Window& window = result.window;
  const std::string auto_pad = node.text("auto_pad", "NOTSET");
  // Without effect where auto_pad decides.
  const bool has_pads = node.has("pads");
  if (auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER") {
    pad_to_same(window, spatial, auto_pad == "SAME_UPPER");
  } else if (auto_pad == "NOTSET" || auto_pad.empty()) {
    if (has_pads) window.pads = axis_values(node, "pads", 2 * rank, 0);
  } else if (auto_pad != "VALID") {
    throw Error("auto_pad \"" + auto_pad + "\" is unknown");
  }
  check_pads(window.pads);
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const std::int64_t reach = window.dilations[axis] * (window.kernel[axis] - 1) + 1;
    const std::int64_t room = spatial[axis] + window.pads[axis] + window.pads[axis + rank] - reach;
    if (room < 0) {
      throw Error("a window of " + join(window.kernel, 'x') + " does not fit the input of " +
                  join(spatial, 'x'));
    }
  }
  if (node.flag("ceil_mode")) result.overhang = window.round_up(spatial);
  return result;
}

const Dims& image_extents(const NodeView& node) {
  const Dims& dims = node.shape(0);
  if (dims.size() < 3 || dims.size() > 5) {
    throw NotExpressible("an input of rank " + std::to_string(dims.size()) +
                         " has not 1 to 3 spatial axes");
  }
  return dims;
}

}  // namespace benanza::onnx
