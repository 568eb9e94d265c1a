#include "core/base/error.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"
#include "generator/onnx/operators/shared/sliding_window.h"
#include "generator/onnx/read/channel_blocks.h"

namespace benanza::onnx {
namespace {

/// Shape of a convolution with these weights, whatever is done with its result.
std::vector<TensorFacts> conv_shape(const NodeView& node) {
  const Dims& input = node.shape(0);
  const Dims& weights = node.shape(1);
  if (input.size() < 3 || weights.size() != input.size())
    throw Error("weights do not fit the input");
  const Dims extents = spatial(input);
  const Dims windows = sliding_window(node, extents, spatial(weights)).window.output(extents);
  Dims dims{input[0], weights[0]};
  dims.insert(dims.end(), windows.begin(), windows.end());
  return {{node.input(0).type, dims}};
}

Lowered lower_conv(const NodeView& node) {
  std::vector<Call> calls{convolution_call(node, {})};
  if (node.has_input(2)) {
    calls.push_back(filter_bias(node, 2, output(calls[0].problem), from_call(0)));
  }
  return measured(std::move(calls));
}

/// Inputs: data, weights, a bias, and a tensor that is added before the activation.
Lowered lower_fused_conv(const NodeView& node) {
  std::vector<Call> calls{convolution_call(node, {})};
  const Dims dims = output(calls[0].problem);
  if (node.has_input(2)) calls.push_back(filter_bias(node, 2, dims, from_call(0)));
  if (node.has_input(3)) {
    calls.push_back(
        elementwise_call(BinaryKind::add, {dims, false, last_result(calls)}, operand_of(node, 3)));
  }
  add_activation(node, node.reals("activation_params").value_or(std::vector<float>{}), calls);
  return measured(std::move(calls));
}

/// Converts to or from the blocked layout.
Lowered lower_reorder(const NodeView& node) {
  return movement({proxy_copy(node, element_count(node.output_shape(0)))});
}

/// From the blocked layout, which pads the channels.
std::vector<TensorFacts> reorder_output_shape(const NodeView& node) {
  Dims dims = node.shape(0);
  if (dims.size() < 2) throw Error("an input without channels");
  dims[1] = node.integer("channels", dims[1]);
  if (node.flag("channels_last")) {
    dims.push_back(dims[1]);
    dims.erase(dims.begin() + 1);
  }
  return {{node.input(0).type, dims}};
}

/// To the blocked layout, in whole blocks.
std::vector<TensorFacts> reorder_input_shape(const NodeView& node) {
  Dims dims = node.shape(0);
  if (dims.size() < 2) throw Error("an input without channels");
  if (node.flag("channels_last")) {
    dims.insert(dims.begin() + 1, dims.back());
    dims.pop_back();
  }
  const std::int64_t block =
      std::max<std::int64_t>(1, node.integer(std::string(channel_block_attribute), 1));
  dims[1] = checked_product(dims[1] / block + (dims[1] % block == 0 ? 0 : 1), block);
  return {{node.input(0).type, dims}};
}

}  // namespace

void register_conv(OperatorTable& table) {
  table.add(
      "Conv",
      {.check = check_convolution_weights<1>, .lower = lower_conv, .reads_all_constants = true});
  table.add("DeformConv", {.shapes = {{conv_shape}},
                           .unsupported = "no library here has deformable convolution",
                           .reads_all_constants = true});
  // Written by ONNX Runtime's optimizers. Its blocked layout (domain com.microsoft.nchwc) is still
  // described by NCHW shapes.
  for (const auto* op : {"com.microsoft.FusedConv", "com.microsoft.nchwc.Conv"}) {
    table.add(op, {.shapes = {{conv_shape}}, .lower = lower_fused_conv});
  }
  table.add("com.microsoft.nchwc.ReorderInput",
            {.shapes = {{reorder_input_shape}},
             .lower = lower_reorder,
             .idle_attributes = {channel_block_attribute, "channels", "channels_last"}});
  table.add("com.microsoft.nchwc.ReorderOutput",
            {.shapes = {{reorder_output_shape}},
             .lower = lower_reorder,
             .idle_attributes = {"channels", "channels_last"}});
}

}  // namespace benanza::onnx
