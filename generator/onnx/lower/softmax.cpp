#include "generator/onnx/lowering.h"

namespace benanza::onnx::lower {
namespace {

/// Along one axis (the last by default) from opset 13. Before, the input was seen as a matrix whose
/// rows begin at `axis` (1 by default), and the function ran along the rows.
template <bool logarithm>
Lowered softmax(const Site& site) {
  Dims input = site.extents(0);
  const bool along_axis = site.node().opset() >= 13;
  std::int64_t axis = Site::axis(site.node().integer("axis", along_axis ? -1 : 1), input.size());
  if (!along_axis) {
    const auto middle = input.begin() + axis;
    input = {element_count({input.begin(), middle}), element_count({middle, input.end()})};
    axis = 1;
  }
  return measured(
      {call(Softmax{.input = input, .axis = axis, .logarithm = logarithm}, {from_input(0)})});
}

}  // namespace

void register_softmax(LoweringTable& table) {
  table.add("Softmax", softmax<false>);
  table.add("LogSoftmax", softmax<true>);
}

}  // namespace benanza::onnx::lower
