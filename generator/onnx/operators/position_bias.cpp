#include "core/base/error.h"
#include "generator/onnx/operators/shared/attention_parts.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

/// Addends of scores that depend on the distance of two positions.
namespace benanza::onnx {
namespace {

/// Inputs: a table (buckets, heads), the numbers of queries and of keys.
std::vector<TensorFacts> relative_bias_shape(const NodeView& node) {
  if (node.shape(0).size() != 2) throw Error("a table of " + join(node.shape(0), 'x'));
  if (!node.has_input(1) || !node.has_input(2)) throw Error("no number of queries or keys");
  const auto queries = static_cast<std::int64_t>(node.scalar(1, 0));
  const auto keys = static_cast<std::int64_t>(node.scalar(2, 0));
  return {{node.input(0).type, Dims{1, node.shape(0)[1], queries, keys}}};
}

/// A copy of as many elements of the table.
Lowered lower_relative_bias(const NodeView& node) {
  return movement({proxy_copy(node, element_count(node.output_shape(0)))});
}

// Inputs of GatedRelativePositionBias.
constexpr std::size_t query_bias = 1;
constexpr std::size_t distances = 2;
constexpr std::size_t gate_weight = 3;
constexpr std::size_t gate_bias = 4;
constexpr std::size_t gate_scale = 5;

/// Batch, heads, queries, keys.
std::vector<TensorFacts> gated_bias_shape(const NodeView& node) {
  const Dims& query = node.shape(0);
  if (query.size() != 3) throw NotExpressible("tokens packed together");
  const std::int64_t heads = positive(node, "num_heads");
  return {{node.input(0).type, Dims{query[0], heads, query[1], query[1]}}};
}

/// With u and r the sigmoids of the sums of a product's halves: (u (r a - 1) + 2) times the bias.
Lowered lower_gated_bias(const NodeView& node) {
  if (node.has_input(6)) throw NotExpressible("tokens packed together");
  const Dims& query = rows(node, 0);
  const std::int64_t heads = head_count(node, "num_heads", query[2]);
  const std::int64_t size = query[2] / heads;
  const Dims& weight = node.shape(gate_weight);
  if (weight.size() != 2 || weight[0] != size || weight[1] % 2 != 0) {
    throw Error("weights of " + join(weight, 'x') + " for heads of " + std::to_string(size));
  }
  std::vector<Call> calls;
  const auto operand = [&](std::size_t index) -> ElementwiseOperand {
    return operand_of(node, index);
  };
  const auto combine = [&](BinaryKind kind, const Dims& dims, const ElementwiseOperand& other) {
    calls.push_back(elementwise_call(kind, {dims, false, last_result(calls)}, other));
  };
  calls.push_back(
      elementwise_call(BinaryKind::add, {query, false, from_input(0)}, operand(query_bias)));
  const Dims split{query[0], heads, query[1], size};
  calls.push_back(
      copy_call({split, {query[1] * query[2], size, query[2], 1}, 0}, dense_view(split)));
  calls.back().operands = {from_call(0)};
  const Dims tokens{query[0] * heads * query[1], size};
  calls.push_back(product_call(tokens, last_result(calls), weight, from_input(gate_weight),
                               node.input(gate_weight).constant));
  combine(BinaryKind::add, {tokens[0], weight[1]}, operand(gate_bias));
  if (weight[1] > 2) {
    calls.push_back(call(
        Reduction{.kind = ReductionKind::sum, .input = {tokens[0], 2, weight[1] / 2}, .axes = {2}},
        {last_result(calls)}));
  }
  const Source both =
      add_call(calls, function_call({tokens[0], 2}, ActivationKind::sigmoid, last_result(calls)));
  const View one = dense_view({tokens[0], 1});
  const auto half = [&](std::int64_t start) {
    calls.push_back(copy_call({one.dims, {2, 1}, start}, one));
    calls.back().operands = {both};
    return last_result(calls);
  };
  const auto linear = [&](const Dims& dims, float addend) {
    calls.push_back(function_call(dims, ActivationKind::linear, last_result(calls), 1, addend));
  };
  const Dims gate{query[0], heads, query[1], 1};
  const Source u = half(0);
  half(1);
  combine(BinaryKind::mul, gate, operand(gate_scale));
  linear(gate, -1);
  combine(BinaryKind::mul, gate, {gate, false, u});
  linear(gate, 2);
  combine(BinaryKind::mul, gate, operand(distances));
  return measured(std::move(calls));
}

}  // namespace

void register_position_bias(OperatorTable& table) {
  table.add("com.microsoft.RelativePositionBias",
            {.shapes = {{relative_bias_shape}},
             .lower = lower_relative_bias,
             .idle_attributes = {"is_bidirectional", "max_distance"},
             .idle_inputs = {1, 2}});
  table.add("com.microsoft.GatedRelativePositionBias",
            {.shapes = {{gated_bias_shape}}, .lower = lower_gated_bias});
}

}  // namespace benanza::onnx
