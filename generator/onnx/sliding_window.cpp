#include "generator/onnx/sliding_window.h"

#include <algorithm>

#include "core/base/error.h"

namespace benanza::onnx {
namespace {

Dims values(const Node& node, std::string_view name, std::size_t count, std::int64_t fallback) {
  Dims stated = node.integers(name).value_or(Dims(count, fallback));
  if (stated.size() != count) {
    throw Error(std::string(name) + " [" + join(stated, ',') + "] need " + std::to_string(count) +
                " values here");
  }
  return stated;
}

/// So that a product with an extent (at most 2^40) is an integer.
constexpr std::int64_t most = std::int64_t{1} << 20;

void demand_positive(const Dims& dims, std::string_view name) {
  if (std::any_of(dims.begin(), dims.end(), [](auto value) { return value < 1 || value > most; })) {
    throw Error(std::string(name) + " [" + join(dims, ',') + "] must be 1 to " +
                std::to_string(most));
  }
}

/// Begins, then ends, so that the output has ceil(input / stride) elements.
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

/// Kernel, strides and dilations; no pads.
Window unpadded_window(const Node& node, std::size_t rank, const Dims& kernel) {
  if (kernel.size() != rank) {
    throw Error("kernel_shape [" + join(kernel, ',') + "] needs " + std::to_string(rank) +
                " values for an input with " + std::to_string(rank) + " spatial axes");
  }
  Window window{.kernel = kernel,
                .pads = Dims(2 * rank, 0),
                .strides = values(node, "strides", rank, 1),
                .dilations = values(node, "dilations", rank, 1)};
  demand_positive(window.kernel, "kernel_shape");
  demand_positive(window.strides, "strides");
  demand_positive(window.dilations, "dilations");
  return window;
}

void demand_no_negative_pads(const Dims& pads) {
  if (std::any_of(pads.begin(), pads.end(), [](std::int64_t pad) { return pad < 0; })) {
    throw NotExpressible("negative pads");
  }
  if (std::any_of(pads.begin(), pads.end(), [](std::int64_t pad) { return pad > most; })) {
    throw Error("pads [" + join(pads, ',') + "] must be at most " + std::to_string(most));
  }
}

}  // namespace

SlidingWindow sliding_window(const Node& node, const Dims& spatial, const Dims& kernel) {
  const std::size_t rank = spatial.size();
  SlidingWindow result{unpadded_window(node, rank, kernel), Dims(rank, 0)};
  Window& window = result.window;
  const std::string auto_pad = node.text("auto_pad", "NOTSET");
  if (auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER") {
    pad_to_same(window, spatial, auto_pad == "SAME_UPPER");
  } else if (auto_pad == "NOTSET" || auto_pad.empty()) {
    window.pads = values(node, "pads", 2 * rank, 0);
  } else if (auto_pad != "VALID") {
    throw Error("auto_pad \"" + auto_pad + "\" is unknown");
  }
  demand_no_negative_pads(window.pads);
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const std::int64_t reach = window.dilations[axis] * (window.kernel[axis] - 1) + 1;
    const std::int64_t room = spatial[axis] + window.pads[axis] + window.pads[axis + rank] - reach;
    if (room < 0) {
      throw Error("a window of " + join(window.kernel, 'x') + " does not fit the input of " +
                  join(spatial, 'x'));
    }
    if (node.integer("ceil_mode", 0) == 0) continue;
    const std::int64_t stride = window.strides[axis];
    const std::int64_t last = (room + stride - 1) / stride * stride;
    if (last > 0 && last >= spatial[axis] + window.pads[axis]) {
      // A last window that would begin behind the input is none.
      if (room % stride == 0) --window.pads[axis + rank];
    } else if (last > room) {
      result.overhang[axis] = last - room;
      window.pads[axis + rank] += result.overhang[axis];
    }
  }
  return result;
}

Window transposed_window(const Node& node, const Dims& spatial, const Dims& kernel) {
  const std::size_t rank = spatial.size();
  Window window = unpadded_window(node, rank, kernel);
  const std::string auto_pad = node.text("auto_pad", "NOTSET");
  const bool same_upper = auto_pad == "SAME_UPPER";
  const bool same = same_upper || auto_pad == "SAME_LOWER";
  const bool stated = auto_pad == "NOTSET" || auto_pad.empty();
  if (!same && !stated && auto_pad != "VALID") {
    throw Error("auto_pad \"" + auto_pad + "\" is unknown");
  }
  const Dims extra = values(node, "output_padding", rank, 0);
  if (stated) window.pads = values(node, "pads", 2 * rank, 0);
  demand_no_negative_pads(window.pads);
  const bool sized = node.has("output_shape");
  const Dims wanted = values(node, "output_shape", rank, 0);
  for (const Dims* sizes : {&extra, &wanted}) {
    if (!std::all_of(sizes->begin(), sizes->end(),
                     [](std::int64_t size) { return size >= 0 && size <= max_tensor_elements; })) {
      throw Error("output_padding or output_shape [" + join(*sizes, ',') + "] is impossible");
    }
  }
  const Dims full = [&] {
    Window unpadded = window;
    unpadded.pads.assign(2 * rank, 0);
    return unpadded.transposed_output(spatial);
  }();
  for (std::size_t axis = 0; axis < rank; ++axis) {
    std::int64_t& begin = window.pads[axis];
    std::int64_t& end = window.pads[axis + rank];
    std::int64_t output = full[axis] + extra[axis] - begin - end;
    if (sized || same) {
      output = sized ? wanted[axis] : spatial[axis] * window.strides[axis];
      const std::int64_t total = std::max<std::int64_t>(0, full[axis] + extra[axis] - output);
      begin = same_upper ? total / 2 : total - total / 2;
    }
    if (output < 1) {
      throw Error("pads [" + join(window.pads, ',') + "] leave nothing of an output of " +
                  join(full, 'x'));
    }
    end = full[axis] - begin - output;
  }
  return window;
}

const Dims& image_extents(const Site& site) {
  const Dims& dims = site.shape(0);
  if (dims.size() < 3 || dims.size() > 5) {
    throw NotExpressible("an input of rank " + std::to_string(dims.size()) +
                         " has not 1 to 3 spatial axes");
  }
  return dims;
}

}  // namespace benanza::onnx
