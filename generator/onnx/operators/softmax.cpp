#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"
#include "generator/onnx/operators/shared/quantization.h"

namespace benanza::onnx {
namespace {

/// The softmax over all axes from `axis` on. If one of them alone is longer than 1, it is the
/// softmax along that one; otherwise along the rows of the input viewed as a matrix.
Softmax over_trailing_axes(const Dims& input, std::int64_t axis) {
  const auto first = input.begin() + axis;
  const auto is_long = [](std::int64_t extent) { return extent != 1; };
  const auto longest = std::find_if(first, input.end(), is_long);
  if (std::count_if(first, input.end(), is_long) <= 1) {
    return {.input = input, .axis = longest == input.end() ? axis : longest - input.begin()};
  }
  return {.input = {element_count({input.begin(), first}), element_count({first, input.end()})},
          .axis = 1};
}

/// From opset 13, along one axis, by default the last. Before, over all axes from `axis` on, by
/// default 1.
Softmax softmax_of(const NodeView& node, bool along_axis, std::int64_t usual_axis) {
  const Dims input = node.extents(0);
  const std::int64_t axis = NodeView::axis(node.integer("axis", usual_axis), input.size());
  return along_axis ? Softmax{.input = input, .axis = axis} : over_trailing_axes(input, axis);
}

template <bool logarithm>
Lowered lower_softmax(const NodeView& node) {
  const bool along_axis = node.opset() >= 13;
  Softmax shape = softmax_of(node, along_axis, along_axis ? -1 : 1);
  shape.logarithm = logarithm;
  return measured({call(std::move(shape), {from_input(0)})});
}

/// Inputs: x, its scale and zero point, the result's. It states the opset whose rule it follows.
Lowered lower_quantized_softmax(const NodeView& node) {
  if (!node.has("opset")) throw Error("attribute \"opset\" is missing");
  std::vector<Call> calls;
  const Source x = dequantized(node, 0, calls);
  calls.push_back(call(softmax_of(node, node.integer("opset", 0) >= 13, -1), {x}));
  return quantized(std::move(calls));
}

}  // namespace

void register_softmax(OperatorTable& table) {
  table.add("Softmax", {.lower = lower_softmax<false>});
  table.add("LogSoftmax", {.lower = lower_softmax<true>});
  table.add(
      "com.microsoft.QLinearSoftmax",
      {.shapes = {{like_first}}, .lower = lower_quantized_softmax, .idle_inputs = {1, 2, 3, 4}});
  table.add("Hardmax", {.unsupported = "no library here gives the position of a maximum"});
}

}  // namespace benanza::onnx
