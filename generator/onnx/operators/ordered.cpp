#include <onnx/onnx_pb.h>

#include "core/base/error.h"
#include "core/problem/precision.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"
#include "generator/onnx/operators/shared/quantization.h"

/// Bytes that ONNX Runtime lays out as cuBLASLt asks for (columns, tiles of 32): the same work on
/// elements in another order.
namespace benanza::onnx {
namespace {

std::vector<TensorFacts> ordered_bytes_shape(const NodeView& node) {
  return {{::onnx::TensorProto::INT8, node.input(0).shape}};
}

std::vector<TensorFacts> floats_shape(const NodeView& node) {
  return {{static_cast<int>(node.integer("to", 1)), node.input(0).shape}};
}

Lowered in_another_order(Lowered lowered) {
  for (Call& call : lowered.calls) call.is_proxy = true;
  lowered.types = Types::checked_by_lowering;
  return lowered;
}

template <QuantizationKind kind>
Lowered lower_ordered_conversion(const NodeView& node) {
  return in_another_order(
      measured({call(Quantization{.kind = kind, .input = node.extents(0)}, {from_input(0)})}));
}

/// Inputs: A, its scale, B, its scale, the result's, a bias, an addend and its scale.
std::vector<TensorFacts> ordered_product_shape(const NodeView& node) {
  Dims dims = node.shape(0);
  if (dims.empty() || node.shape(2).size() != 2) throw Error("B needs two axes");
  dims.back() = node.shape(2)[1];
  return {{node.input(0).type, dims}};
}

Lowered lower_ordered_product(const NodeView& node) {
  if (node.has_input(6)) throw NotExpressible("a product of bytes with an addend of bytes");
  Call product = matmul_call(node, {0, 2});
  if (node.has_input(5)) {
    product.problem.epilogue.bias = true;
    product.operands.push_back(from_input(5));
  }
  Lowered lowered = in_another_order(measured({std::move(product)}));
  lowered.precision = to_string(Precision::int8);
  return lowered;
}

Lowered lower_ordered_gelu(const NodeView& node) {
  std::vector<Call> calls;
  const Source x = dequantized(node, 0, calls);
  calls.push_back(function_call(node.extents(0), ActivationKind::gelu, x));
  return in_another_order(quantized(std::move(calls)));
}

/// Inputs: x, its scale, factors, addends, the result's scale.
Lowered lower_ordered_normalization(const NodeView& node) {
  const Dims& dims = node.shape(0);
  const auto axis = NodeView::axis(node.integer("axis", -1), dims.size());
  const Dims row(dims.begin() + axis, dims.end());
  std::vector<Call> calls;
  const Source x = dequantized(node, 0, calls);
  const bool has_bias = node.has_input(3);
  std::vector<Source> operands{x, from_input(2)};
  if (has_bias) operands.push_back(from_input(3));
  const std::int64_t length = element_count(row);
  if (length < 1) throw NotExpressible("an operand is empty");
  calls.push_back(call(LayerNormalization{.rows = element_count(dims) / length,
                                          .length = length,
                                          .epsilon = node.real("epsilon", 1e-5F),
                                          .scale = true,
                                          .bias = has_bias},
                       std::move(operands)));
  return in_another_order(quantized(std::move(calls)));
}

}  // namespace

void register_ordered(OperatorTable& table) {
  const std::vector<std::string_view> orders{"order_input", "order_output", "to",     "order_A",
                                             "order_B",     "order_X",      "order_Y"};
  const auto add = [&](const char* op, ShapeFunction shape, LowerFunction lower,
                       std::vector<std::size_t> scales) {
    table.add(std::string("com.microsoft.") + op, {.shapes = {{shape}},
                                                   .lower = lower,
                                                   .reads_all_constants = true,
                                                   .idle_attributes = orders,
                                                   .idle_inputs = std::move(scales)});
  };
  add("QuantizeWithOrder", ordered_bytes_shape,
      lower_ordered_conversion<QuantizationKind::quantize>, {1});
  add("DequantizeWithOrder", floats_shape, lower_ordered_conversion<QuantizationKind::dequantize>,
      {1});
  add("QOrderedMatMul", ordered_product_shape, lower_ordered_product, {1, 3, 4});
  add("QOrderedGelu", like_first, lower_ordered_gelu, {1, 2});
  add("QOrderedLayerNormalization", like_first, lower_ordered_normalization, {1, 4});
}

}  // namespace benanza::onnx
