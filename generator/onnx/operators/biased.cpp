#include "core/base/error.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

/// Sums with biases that ONNX Runtime does in one operator.
namespace benanza::onnx {
namespace {

Call sum(const NodeView& node, Source source, std::size_t addend) {
  return elementwise_call(
      BinaryKind::add, {node.shape(0), false, source},
      {node.shape(addend), node.input(addend).constant, from_input(static_cast<int>(addend))});
}

/// Data, a bias, and a tensor added to both.
Lowered lower_bias_add(const NodeView& node) {
  return measured({sum(node, from_input(0), 1), sum(node, from_call(0), 2)});
}

/// The extents tell along which axes the bias is repeated.
Lowered lower_bias_softmax(const NodeView& node) {
  const Dims& dims = node.shape(0);
  const std::int64_t axis = NodeView::axis(node.integer("axis", 1), dims.size());
  if (axis + 1 != static_cast<std::int64_t>(dims.size())) {
    throw NotExpressible("a softmax over several axes");
  }
  return measured(
      {sum(node, from_input(0), 1), call(Softmax{.input = dims, .axis = axis}, {from_call(0)})});
}

}  // namespace

void register_biased(OperatorTable& table) {
  table.add("com.microsoft.BiasAdd", {.shapes = {{like_first}}, .lower = lower_bias_add});
  table.add("com.microsoft.BiasSoftmax", {.shapes = {{like_first}},
                                          .lower = lower_bias_softmax,
                                          .idle_attributes = {"is_inner_broadcast"}});
}

}  // namespace benanza::onnx
