#include <algorithm>
#include "generator/onnx/operators/shared/sliding_window.h"

#include "core/base/error.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

/// Convolutions of ONNX Runtime on images whose channels come last.
namespace benanza::onnx {
namespace {

/// Extents of the filters in the order of Conv. NhwcConv has their channels last, as ONNX Runtime's
/// optimizer writes it, unless only the order of its documentation fits; NhwcFusedConv does not.
Dims filters_of(const NodeView& node) {
  const Dims& weights = node.shape(1);
  const Dims& input = node.shape(0);
  if (weights.size() < 3 || weights.size() != input.size() || node.op_type() != "NhwcConv") {
    return weights;
  }
  const std::int64_t channels = input.back() / std::max<std::int64_t>(1, node.integer("group", 1));
  const Dims turned = channels_second(weights);
  const auto kernel = node.integers("kernel_shape");
  const auto fits = [&](const Dims& filters) {
    return filters[1] == channels && kernel.value_or(spatial(filters)) == spatial(filters);
  };
  return fits(turned) || !fits(weights) ? turned : weights;
}

std::vector<TensorFacts> nhwc_conv_shape(const NodeView& node) {
  const Dims input = channels_second(node.shape(0));
  const Dims weights = filters_of(node);
  if (input.size() < 3 || weights.size() != input.size()) {
    throw Error("weights of " + join(weights, 'x') + " for images of " + join(input, 'x'));
  }
  const Dims kernel = spatial(weights);
  const Dims windows = sliding_window(node, spatial(input), kernel).window.output(spatial(input));
  Dims made{input[0], weights[0]};
  made.insert(made.end(), windows.begin(), windows.end());
  return {{node.input(0).type, channels_last(made)}};
}

/// Inputs: data, weights, a bias, and a tensor that is added before the activation.
Lowered lower_nhwc_conv(const NodeView& node) {
  std::vector<Call> calls{
      convolution_call(node, {}, image_with_channels_second(node, true), filters_of(node))};
  const Dims dims = output(calls[0].problem);
  if (node.has_input(2)) calls.push_back(filter_bias(node, 2, dims, from_call(0)));
  if (node.has_input(3)) {
    const Dims added = channels_second(node.shape(3));
    calls.push_back(elementwise_call(BinaryKind::add, {dims, false, last_result(calls)},
                                     operand_of(node, 3, added)));
  }
  add_activation(node, node.reals("activation_params").value_or(std::vector<float>{}), calls);
  return of_channels_last(node, measured(std::move(calls)));
}

}  // namespace

void register_channels_last(OperatorTable& table) {
  for (const auto* op :
       {"com.microsoft.NhwcConv", "com.microsoft.NhwcFusedConv", "com.ms.internal.nhwc.Conv"}) {
    table.add(
        op, {.shapes = {{nhwc_conv_shape}}, .lower = lower_nhwc_conv, .reads_all_constants = true});
  }
}

}  // namespace benanza::onnx
