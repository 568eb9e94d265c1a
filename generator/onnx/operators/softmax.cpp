#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {
namespace {

/// From opset 13, along one axis, by default the last. Before, along the rows of the input viewed
/// as a matrix whose rows start at `axis`, by default 1.
template <bool logarithm>
Lowered lower_softmax(const NodeView& node) {
  Dims input = node.extents(0);
  const bool along_axis = node.opset() >= 13;
  std::int64_t axis = NodeView::axis(node.integer("axis", along_axis ? -1 : 1), input.size());
  if (!along_axis) {
    const auto middle = input.begin() + axis;
    input = {element_count({input.begin(), middle}), element_count({middle, input.end()})};
    axis = 1;
  }
  return measured(
      {call(Softmax{.input = input, .axis = axis, .logarithm = logarithm}, {from_input(0)})});
}

}  // namespace

void register_softmax(OperatorTable& table) {
  table.add("Softmax", {.lower = lower_softmax<false>});
  table.add("LogSoftmax", {.lower = lower_softmax<true>});
  table.add("Hardmax", {.unsupported = "no library here gives the position of a maximum"});
}

}  // namespace benanza::onnx
