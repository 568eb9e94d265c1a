#include <algorithm>

#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

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
template <bool logarithm>
Lowered lower_softmax(const NodeView& node) {
  const Dims input = node.extents(0);
  const bool along_axis = node.opset() >= 13;
  const std::int64_t axis = NodeView::axis(node.integer("axis", along_axis ? -1 : 1), input.size());
  Softmax shape =
      along_axis ? Softmax{.input = input, .axis = axis} : over_trailing_axes(input, axis);
  shape.logarithm = logarithm;
  return measured({call(std::move(shape), {from_input(0)})});
}

}  // namespace

void register_softmax(OperatorTable& table) {
  table.add("Softmax", {.lower = lower_softmax<false>});
  table.add("LogSoftmax", {.lower = lower_softmax<true>});
  table.add("Hardmax", {.unsupported = "no library here gives the position of a maximum"});
}

}  // namespace benanza::onnx
