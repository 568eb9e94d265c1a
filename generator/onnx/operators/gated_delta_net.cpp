#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/state_step.h"

/// Attention with a state whose gates and normalization are part of the node.
namespace benanza::onnx {
namespace {

constexpr std::size_t net_sums = 3;
constexpr std::size_t net_decay = 4;
constexpr std::size_t net_rate = 5;
constexpr std::size_t net_state = 6;
constexpr int net_logarithm = 7;
constexpr int net_bias = 8;

/// Heads and sizes: the last two axes of queries, keys and values; before them, tokens of all
/// sequences, or (batch, length).
StateStep net_step(const NodeView& node) {
  if (!node.has_input(1) || !node.has_input(2)) {
    throw NotExpressible("queries, keys and values side by side");
  }
  const Dims& q = node.shape(0);
  const Dims& k = node.shape(1);
  const Dims& v = node.shape(2);
  if (q.size() < 3 || q.size() > 4 || k.size() != q.size() || v.size() != q.size() ||
      k.back() != q.back()) {
    throw Error("q of " + join(q, 'x') + ", k of " + join(k, 'x') + " and v of " + join(v, 'x'));
  }
  StateStep step{.query_heads = q.end()[-2],
                 .key_heads = k.end()[-2],
                 .heads = v.end()[-2],
                 .key_size = q.back(),
                 .value_size = v.back(),
                 .value_rows = true};
  if (node.has_input(net_state)) {
    step.batch = node.shape(net_state).at(0);
  } else if (node.has_input(net_sums)) {
    step.batch = node.elements(net_sums) - 1;
  }
  return step;
}

/// The result has the heads of the values, or more queries', and the states are floats.
std::vector<TensorFacts> net_shape(const NodeView& node) {
  const StateStep step = net_step(node);
  Dims dims = node.shape(0);
  dims.end()[-2] = std::max(step.query_heads, step.heads);
  dims.back() = step.value_size;
  return {{node.input(0).type, dims}, {::onnx::TensorProto::FLOAT, step.states()}};
}

/// Divides rows by their lengths.
Source unit_rows(std::vector<Call>& calls, const Dims& dims, const Source& rows) {
  const Reduction norm{.kind = ReductionKind::l2,
                       .input = dims,
                       .axes = {static_cast<std::int64_t>(dims.size()) - 1}};
  calls.push_back(call(norm, {rows}));
  return add_call(calls, elementwise_call(BinaryKind::div, {dims, false, rows},
                                          {norm.output(), false, last_result(calls)}));
}

/// With gate_activation, - e^a softplus(decay + bias), where e^a is known when the model is loaded.
Source net_gate(const NodeView& node, std::vector<Call>& calls, const StateStep& step) {
  const Source stated = from_input(net_decay);
  const std::string function = node.text("gate_activation", "none");
  if (function == "none") return stated;
  if (function != "softplus" && function != "qwen") {
    throw NotExpressible("a decay with the function " + function);
  }
  const std::int64_t keys = step.decay_of_each_key ? step.key_size : 1;
  const Dims dims{step.batch, step.heads, keys};
  const bool has_bias = node.has_input(net_bias);
  if (has_bias) {
    const std::int64_t biases = node.elements(net_bias);
    calls.push_back(elementwise_call(
        BinaryKind::add, {dims, false, stated},
        operand_of(node, net_bias, {step.heads, biases == step.heads ? 1 : keys})));
  }
  calls.push_back(
      function_call(dims, ActivationKind::softplus, has_bias ? last_result(calls) : stated));
  return add_call(calls, elementwise_call(BinaryKind::mul, {dims, false, last_result(calls)},
                                          operand_of(node, net_logarithm, {step.heads, 1})));
}

Lowered lower_gated_delta_net(const NodeView& node) {
  if (node.integer("state_update_capacity", 0) != 0) {
    throw NotExpressible("the changes of its state handed out");
  }
  StateStep step = net_step(node);
  const std::int64_t tokens =
      node.elements(0) / std::max<std::int64_t>(1, step.query_heads * step.key_size);
  if (tokens != step.batch) {
    throw NotExpressible("a recurrence over " + std::to_string(tokens) +
                         " tokens, which no library here has");
  }
  const std::string rule = node.text("update_rule", "gated_delta");
  const bool decays = rule == "gated" || rule == "gated_delta";
  const bool has_rate = rule == "delta" || rule == "gated_delta";
  if (!decays && !has_rate && rule != "linear") throw NotExpressible("an update rule " + rule);
  std::vector<Call> calls;
  step.query = from_input(0);
  step.key = from_input(1);
  step.value = from_input(2);
  const float stated = node.real("scale", 0);
  step.scale = stated != 0 ? stated : 1 / std::sqrt(static_cast<float>(step.key_size));
  if (node.integer("qk_l2_norm", 0) != 0) {
    step.query = unit_rows(calls, node.shape(0), step.query);
    step.key = unit_rows(calls, node.shape(1), step.key);
  }
  if (node.has_input(net_state)) {
    if (node.shape(net_state) != step.states()) {
      throw Error("a state of " + join(node.shape(net_state), 'x') + ", not " +
                  join(step.states(), 'x'));
    }
    step.state = from_input(net_state);
  }
  if (decays) {
    step.decay_of_each_key = node.elements(net_decay) != step.batch * step.heads;
    step.decay = net_gate(node, calls, step);
  }
  if (has_rate) {
    step.rate = from_input(net_rate);
    step.rate_heads = step.heads;
    if (node.text("beta_activation", "none") == "sigmoid") {
      step.rate = add_call(
          calls, function_call(node.extents(net_rate), ActivationKind::sigmoid, *step.rate));
    }
  }
  step.add_calls(calls, 1);
  return measured(std::move(calls));
}

}  // namespace

// Each sequence has a token at least, so that as many tokens as sequences are one each, whatever
// the sums of their lengths.
void register_gated_delta_net(OperatorTable& table) {
  table.add("com.microsoft.GatedDeltaNet",
            {.shapes = {{net_shape}},
             .lower = lower_gated_delta_net,
             .reads_whole = [](const NodeView&) -> std::vector<std::size_t> { return {net_state}; },
             .writes_whole = [](const NodeView&) -> std::vector<std::size_t> { return {1}; },
             .idle_attributes = {"chunk_size", "gate_lower_bound"},
             .idle_inputs = {net_sums}});
}

}  // namespace benanza::onnx
