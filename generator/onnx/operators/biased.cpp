#include <algorithm>

#include "core/base/error.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

/// Sums with biases that ONNX Runtime does in one operator.
namespace benanza::onnx {
namespace {

Call sum(const NodeView& node, Source source, std::size_t addend) {
  return elementwise_call(BinaryKind::add, {node.shape(0), false, source},
                          operand_of(node, addend));
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

/// Data, a bias and, if there is one, a tensor of the data's extents.
Lowered lower_bias_dropout(const NodeView& node) {
  if (node.has_output(1)) throw NotExpressible("hands out what it drops");
  if (node.has_input(4) && node.input(4).literal && node.scalar(4, 0) != 0) {
    throw NotExpressible("drops elements");
  }
  std::vector<Call> calls{sum(node, from_input(0), 1)};
  if (node.has_input(2)) calls.push_back(sum(node, from_call(0), 2));
  return measured(std::move(calls));
}

std::vector<TensorFacts> split_gelu_shape(const NodeView& node) {
  Dims dims = node.shape(0);
  if (dims.empty() || dims.back() % 2 != 0) throw Error(join(dims, 'x') + " has no halves");
  dims.back() /= 2;
  return {{node.input(0).type, dims}};
}

/// The first half of each row times the gelu of the second.
Lowered lower_bias_split_gelu(const NodeView& node) {
  const Dims& dims = node.output_shape(0);
  const std::int64_t half = dims.back();
  const View part = dense_view({element_count(dims) / std::max<std::int64_t>(1, half), half});
  std::vector<Call> calls{sum(node, from_input(0), 1)};
  for (const std::int64_t start : {std::int64_t{0}, half}) {
    calls.push_back(copy_call({part.dims, {2 * half, 1}, start}, part));
    calls.back().operands = {from_call(0)};
  }
  calls.push_back(function_call(dims, ActivationKind::gelu, last_result(calls)));
  calls.push_back(elementwise_call(BinaryKind::mul, {dims, false, from_call(1)},
                                   {dims, false, last_result(calls)}));
  return measured(std::move(calls));
}

}  // namespace

void register_biased(OperatorTable& table) {
  table.add("com.microsoft.BiasAdd", {.shapes = {{like_first}}, .lower = lower_bias_add});
  for (const auto* op : {"com.microsoft.BiasDropout", "com.microsoft.BitmaskBiasDropout"}) {
    table.add(op, {.shapes = {{like_first}},
                   .lower = lower_bias_dropout,
                   .idle_attributes = {"seed"},
                   .idle_inputs = {3, 4}});
  }
  table.add("com.microsoft.BiasSplitGelu",
            {.shapes = {{split_gelu_shape}}, .lower = lower_bias_split_gelu});
  table.add("com.microsoft.BiasSoftmax", {.shapes = {{like_first}},
                                          .lower = lower_bias_softmax,
                                          .idle_attributes = {"is_inner_broadcast"}});
}

}  // namespace benanza::onnx
