#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"
#include "generator/onnx/operators/shared/quantization.h"

/// ONNX Runtime's functions, choices and means of bytes.
namespace benanza::onnx {
namespace {

/// Inputs: x, its scale and zero point, the result's. No library has tables of functions of bytes.
Lowered lower_function(const NodeView& node, ActivationKind kind, float alpha = 0) {
  std::vector<Call> calls;
  const Source x = dequantized(node, 0, calls);
  calls.push_back(function_call(node.extents(0), kind, x, alpha));
  return quantized(std::move(calls));
}

Lowered lower_quantized_sigmoid(const NodeView& node) {
  return lower_function(node, ActivationKind::sigmoid);
}

Lowered lower_quantized_leaky_relu(const NodeView& node) {
  return lower_function(node, ActivationKind::leaky_relu, node.real("alpha", 0.01F));
}

constexpr std::size_t first_choice = 1;
constexpr std::size_t second_choice = 4;

/// Inputs: the condition, x, its scale and zero point, y, its scale and zero point, the result's.
Dims chosen_extents(const NodeView& node) {
  return broadcast_dims(broadcast_dims(node.shape(0), node.shape(first_choice)),
                        node.shape(second_choice));
}

std::vector<TensorFacts> quantized_where_shape(const NodeView& node) {
  return {{node.input(first_choice).type, chosen_extents(node)}};
}

Lowered lower_quantized_where(const NodeView& node) {
  const std::size_t rank = std::max<std::size_t>(chosen_extents(node).size(), 1);
  const auto extended = [&](std::size_t index) {
    Dims dims = node.shape(index);
    dims.insert(dims.begin(), rank - dims.size(), 1);
    return dims;
  };
  std::vector<Call> calls;
  const Source a = dequantized(node, first_choice, calls);
  const Source b = dequantized(node, second_choice, calls);
  calls.push_back(call(Select{.condition = extended(0),
                              .constant_condition = node.input(0).constant,
                              .a = {.dims = extended(first_choice)},
                              .b = {.dims = extended(second_choice)}},
                       {from_input(0), a, b}));
  return quantized(std::move(calls));
}

Dims mean_axes(const NodeView& node) {
  const auto stated = node.integers("axes");
  if (!stated) throw Error("attribute \"axes\" is missing");
  std::set<std::int64_t> axes;
  for (const std::int64_t axis : *stated) {
    axes.insert(NodeView::axis(axis, node.shape(0).size()));
  }
  return axes.empty() ? all_axes(node.shape(0).size()) : Dims(axes.begin(), axes.end());
}

std::vector<TensorFacts> quantized_mean_shape(const NodeView& node) {
  const Dims axes = mean_axes(node);
  const bool keeps = node.flag("keepdims", true);
  Dims dims;
  for (std::size_t axis = 0; axis < node.shape(0).size(); ++axis) {
    const bool reduced = std::ranges::count(axes, static_cast<std::int64_t>(axis)) > 0;
    if (!reduced) dims.push_back(node.shape(0)[axis]);
    if (reduced && keeps) dims.push_back(1);
  }
  return {{node.input(0).type, dims}};
}

/// Scales and zero points are part of the call.
Lowered lower_quantized_mean(const NodeView& node) {
  if (type_bits(node.input(0).type) != 8) {
    throw NotExpressible("quantized " + type_name(node.input(0).type));
  }
  Lowered lowered = measured(
      {call(
          Reduction{.kind = ReductionKind::mean, .input = node.extents(0), .axes = mean_axes(node)},
          {from_input(0)})},
      Types::checked_by_lowering);
  lowered.precision = to_string(Precision::int8);
  return lowered;
}

}  // namespace

void register_quantized_functions(OperatorTable& table) {
  table.add(
      "com.microsoft.QLinearSigmoid",
      {.shapes = {{like_first}}, .lower = lower_quantized_sigmoid, .idle_inputs = {1, 2, 3, 4}});
  table.add(
      "com.microsoft.QLinearLeakyRelu",
      {.shapes = {{like_first}}, .lower = lower_quantized_leaky_relu, .idle_inputs = {1, 2, 3, 4}});
  table.add("com.microsoft.QLinearWhere", {.shapes = {{quantized_where_shape}},
                                           .lower = lower_quantized_where,
                                           .idle_inputs = {2, 3, 5, 6, 7, 8}});
  table.add("com.microsoft.QLinearReduceMean", {.shapes = {{quantized_mean_shape}},
                                                .lower = lower_quantized_mean,
                                                .idle_attributes = {"keepdims"},
                                                .idle_inputs = {1, 2, 3, 4}});
}

}  // namespace benanza::onnx
