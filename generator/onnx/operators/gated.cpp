#include <limits>

#include "core/base/error.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

/// Gates of ONNX Runtime: functions of one tensor that multiply another.
namespace benanza::onnx {
namespace {

Source add_gate_function(std::vector<Call>& calls, ActivationKind kind, const Dims& dims,
                         const Source& x, float alpha = 0, float beta = 0) {
  return add_call(calls, function_call(dims, kind, x, alpha, beta));
}

/// As the gate, or half of its rows if it has both operands.
std::vector<TensorFacts> clamped_swiglu_shape(const NodeView& node) {
  Dims dims = node.shape(0);
  if (dims.empty()) throw Error("a gate without axes");
  if (!node.has_input(1)) dims.back() /= 2;
  return {{node.input(0).type, dims}};
}

/// With g = min(gate, limit) and l = up within +-limit: g sigmoid(alpha g) (l + beta).
Lowered lower_clamped_swiglu(const NodeView& node) {
  Dims dims = node.shape(0);
  std::vector<Call> calls;
  Source gate = from_input(0);
  Source up = from_input(1);
  if (!node.has_input(1)) {
    const std::int64_t row = dims.back();
    if (row % 2 != 0) throw Error("rows of " + std::to_string(row) + " have no halves");
    dims.back() = row / 2;
    const std::int64_t rows = element_count(node.shape(0)) / std::max<std::int64_t>(1, row);
    const View to = dense_view({rows, row / 2});
    gate = add_call(calls, copy_call({to.dims, {row, 1}, 0}, to));
    up = add_call(calls, copy_call({to.dims, {row, 1}, row / 2}, to));
  } else if (node.shape(1) != dims) {
    throw Error("halves of " + join(dims, 'x') + " and " + join(node.shape(1), 'x'));
  }
  if (const float limit = node.real("limit", 0); limit > 0) {
    constexpr float lowest = std::numeric_limits<float>::lowest();
    gate = add_gate_function(calls, ActivationKind::clip, dims, gate, lowest, limit);
    up = add_gate_function(calls, ActivationKind::clip, dims, up, -limit, limit);
  }
  gate =
      add_gate_function(calls, ActivationKind::swish, dims, gate, node.real("activation_alpha", 1));
  if (const float beta = node.real("activation_beta", 0); beta != 0) {
    up = add_gate_function(calls, ActivationKind::linear, dims, up, 1, beta);
  }
  calls.push_back(elementwise_call(BinaryKind::mul, {dims, false, gate}, {dims, false, up}));
  return measured(std::move(calls));
}

/// z sigmoid(z), where z is x times the attribute, or times the input if there is one.
Lowered lower_scaled_silu(const NodeView& node) {
  const Dims dims = node.extents(0);
  std::vector<Call> calls;
  Source z = from_input(0);
  if (node.has_input(1)) {
    if (node.elements(1) != 1) throw NotExpressible("more than one scale");
    z = add_call(calls, elementwise_call(BinaryKind::mul, {dims, false, z},
                                         operand_of(node, 1, Dims(dims.size(), 1))));
  } else if (const float alpha = node.real("alpha", 1); alpha != 1) {
    z = add_gate_function(calls, ActivationKind::linear, dims, z, alpha);
  }
  add_gate_function(calls, ActivationKind::swish, dims, z, 1);
  return measured(std::move(calls));
}

/// x + y gate, with one gate for each row; or the sigmoid of a row times a column of weights.
Lowered lower_gated_add(const NodeView& node) {
  const Dims dims = node.extents(0);
  Dims column = dims;
  column.back() = 1;
  std::vector<Call> calls;
  Source gate = from_input(2);
  if (node.has_input(3)) {
    calls.push_back(matmul_call(node, {2, 3}));
    if (element_count(output(calls.back().problem)) != element_count(column)) {
      throw NotExpressible("a gate of other than one element per row");
    }
    gate = add_gate_function(calls, ActivationKind::sigmoid, column, last_result(calls));
  } else if (node.shape(2) != column) {
    throw NotExpressible("a gate of " + join(node.shape(2), 'x') + " for " + join(dims, 'x'));
  }
  const bool constant = !node.has_input(3) && node.input(2).constant;
  calls.push_back(
      elementwise_call(BinaryKind::mul, operand_of(node, 1, dims), {column, constant, gate}));
  calls.push_back(elementwise_call(BinaryKind::add, operand_of(node, 0, dims),
                                   {dims, false, last_result(calls)}));
  return measured(std::move(calls));
}

/// Rows as long as the scale, divided by their root mean squares; then x g sigmoid(g), or
/// x sigmoid(g), with the gate g.
Lowered lower_gated_normalization(const NodeView& node) {
  const Dims dims = node.extents(0);
  const std::int64_t length = node.elements(1);
  if (dims.empty() || length < 1 || dims.back() % length != 0) {
    throw Error("rows of " + join(dims, 'x') + " for factors of " + join(node.shape(1), 'x'));
  }
  if (node.shape(2) != dims) {
    throw Error("a gate of " + join(node.shape(2), 'x') + " for " + join(dims, 'x'));
  }
  const LayerNormalization shape{.rows = element_count(dims) / length,
                                 .length = length,
                                 .epsilon = node.real("epsilon", 1e-5F),
                                 .scale = true,
                                 .root_mean_square = true};
  std::vector<Call> calls{call(shape, {from_input(0), from_input(1)})};
  const Source normal = last_result(calls);
  const std::string function = node.text("activation", "silu");
  Source gate{};
  if (function == "sigmoid") {
    gate = add_gate_function(calls, ActivationKind::sigmoid, dims, from_input(2));
  } else if (function == "silu" || function == "swish") {
    gate = add_gate_function(calls, ActivationKind::swish, dims, from_input(2), 1);
  } else {
    throw NotExpressible("a gate with the function " + function);
  }
  calls.push_back(elementwise_call(BinaryKind::mul, {dims, false, normal}, {dims, false, gate}));
  return measured(std::move(calls));
}

}  // namespace

void register_gated(OperatorTable& table) {
  table.add("com.microsoft.SwiGLU", {.shapes = {{clamped_swiglu_shape}},
                                     .lower = lower_clamped_swiglu,
                                     .idle_attributes = {"round_activation"}});
  table.add("com.microsoft.ScaledSiLU",
            {.shapes = {{like_first}}, .lower = lower_scaled_silu, .idle_attributes = {"alpha"}});
  table.add("com.microsoft.GatedAdd", {.shapes = {{like_first}}, .lower = lower_gated_add});
  table.add("com.microsoft.GatedRMSNorm",
            {.shapes = {{like_first}}, .lower = lower_gated_normalization});
}

}  // namespace benanza::onnx
