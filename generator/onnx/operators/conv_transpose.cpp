#include <algorithm>

#include "core/base/error.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"
#include "generator/onnx/operators/shared/sliding_window.h"

namespace benanza::onnx {
namespace {

/// The window for an input of these spatial extents. pads, auto_pad, output_shape and
/// output_padding become pads; negative end pads add pixels. With SAME_UPPER and SAME_LOWER the
/// result is at most input * stride, as in ONNX Runtime. Throws as sliding_window().
Window transposed_window(const NodeView& node, const Dims& spatial, const Dims& kernel) {
  const std::size_t rank = spatial.size();
  Window window = unpadded_window(node, rank, kernel);
  const std::string auto_pad = node.text("auto_pad", "NOTSET");
  const bool same_upper = auto_pad == "SAME_UPPER";
  const bool same = same_upper || auto_pad == "SAME_LOWER";
  const bool stated = auto_pad == "NOTSET" || auto_pad.empty();
  if (!same && !stated && auto_pad != "VALID") {
    throw Error("auto_pad \"" + auto_pad + "\" is unknown");
  }
  const Dims extra = axis_values(node, "output_padding", rank, 0);
  if (node.has("pads") && stated) window.pads = axis_values(node, "pads", 2 * rank, 0);
  check_pads(window.pads);
  const bool sized = node.has("output_shape");
  const Dims wanted = axis_values(node, "output_shape", rank, 0);
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
      output = sized ? wanted[axis]
                     : std::min(full[axis] + extra[axis], spatial[axis] * window.strides[axis]);
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

Deconvolution deconvolution(const NodeView& node) {
  const Dims& input = image_extents(node);
  const Dims& weights = node.shape(1);
  check_convolution_weights<1>(node);
  Deconvolution shape;
  shape.input = input;
  shape.groups = node.integer("group", 1);
  if (shape.groups < 1 || shape.groups > input[1] || weights[0] != input[1] ||
      input[1] % shape.groups != 0) {
    throw Error("weights of " + join(weights, 'x') + " in " + std::to_string(shape.groups) +
                " groups do not fit " + std::to_string(input[1]) + " input channels");
  }
  shape.filters = weights[1] * shape.groups;
  const Dims kernel = spatial(weights);
  if (node.integers("kernel_shape").value_or(kernel) != kernel) {
    throw Error("kernel_shape differs from the weights' " + join(kernel, 'x'));
  }
  shape.window = transposed_window(node, spatial(input), kernel);
  return shape;
}

std::vector<TensorFacts> transposed_shape(const NodeView& node) {
  return {{node.input(0).type, deconvolution(node).output()}};
}

Lowered lower_conv_transpose(const NodeView& node) {
  const Deconvolution shape = deconvolution(node);
  std::vector<Call> calls{call(shape, {from_input(0), from_input(1)})};
  if (node.has_input(2)) calls.push_back(filter_bias(node, 2, shape.output(), from_call(0)));
  return measured(std::move(calls));
}

}  // namespace

void register_conv_transpose(OperatorTable& table) {
  // The schemas before ONNX 1.15 stop at the first extent of output_shape that is smaller than the
  // input's, and add output_padding to what auto_pad requires.
  table.add(
      "ConvTranspose",
      {.shapes = {{transposed_shape}}, .lower = lower_conv_transpose, .reads_all_constants = true});
}

}  // namespace benanza::onnx
