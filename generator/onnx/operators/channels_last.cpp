#include "generator/onnx/operators/shared/channels_last.h"
#include "core/base/error.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"
#include "generator/onnx/operators/shared/sliding_window.h"

/// Operators of ONNX Runtime on images whose channels come last: extents alone. A problem's
/// tensors have their channels second.
namespace benanza::onnx {
namespace {

std::vector<TensorFacts> nhwc_conv_shape(const NodeView& node) {
  const Dims input = channels_second(node.shape(0));
  const Dims& weights = node.shape(1);
  if (input.size() < 3 || weights.size() != input.size()) {
    throw Error("weights of " + join(weights, 'x') + " for images of " + join(input, 'x'));
  }
  const Dims kernel = spatial(weights);
  const Dims windows = sliding_window(node, spatial(input), kernel).window.output(spatial(input));
  Dims made{input[0], weights[0]};
  made.insert(made.end(), windows.begin(), windows.end());
  return {{node.input(0).type, channels_last(made)}};
}

std::vector<TensorFacts> nhwc_pool_shape(const NodeView& node) {
  const Dims input = channels_second(node.shape(0));
  const auto kernel = node.integers("kernel_shape");
  if (input.size() < 3 || !kernel) throw Error("no windows over " + join(input, 'x'));
  const Dims windows = sliding_window(node, spatial(input), *kernel).window.output(spatial(input));
  Dims made{input[0], input[1]};
  made.insert(made.end(), windows.begin(), windows.end());
  return {{node.input(0).type, channels_last(made)}};
}

}  // namespace

void register_channels_last(OperatorTable& table) {
  constexpr std::string_view reason = "channels that come last";
  for (const auto* op : {"com.microsoft.NhwcConv", "com.microsoft.NhwcFusedConv"}) {
    table.add(op,
              {.shapes = {{nhwc_conv_shape}}, .unsupported = reason, .reads_all_constants = true});
  }
  table.add("com.microsoft.NhwcMaxPool", {.shapes = {{nhwc_pool_shape}}, .unsupported = reason});
}

}  // namespace benanza::onnx
