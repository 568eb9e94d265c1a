#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "generator/onnx/model/node_view.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/state_step.h"

/// Attention that carries a state from run to run, and the gates of it.
namespace benanza::onnx {
namespace {

constexpr std::size_t linear_past = 3;
constexpr std::size_t linear_decay = 4;
constexpr std::size_t linear_rate = 5;

/// Extents of the node, of which one token is not necessarily all.
StateStep linear_step(const NodeView& node) {
  const Dims& q = node.shape(0);
  const Dims& k = node.shape(1);
  const Dims& v = node.shape(2);
  StateStep step{.query_heads = node.integer("q_num_heads", 0),
                 .heads = node.integer("kv_num_heads", 0)};
  if (q.size() != 3 || k.size() != 3 || v.size() != 3 || step.query_heads < 1 || step.heads < 1) {
    throw Error("q, k and v need three axes each, and heads");
  }
  step.batch = q[0];
  step.key_size = q[2] / step.query_heads;
  step.value_size = v[2] / step.heads;
  if (step.key_size < 1 || k[2] % step.key_size != 0) {
    throw Error("keys of " + join(k, 'x') + " for queries of " + std::to_string(step.key_size));
  }
  step.key_heads = k[2] / step.key_size;
  return step;
}

/// Query, key and value: (batch, length, heads * size). State: (batch, heads, key size, value
/// size), or with state_window as many of these.
std::vector<TensorFacts> linear_attention_shape(const NodeView& node) {
  const StateStep step = linear_step(node);
  const std::int64_t heads = std::max(step.query_heads, step.heads);
  const Dims& q = node.shape(0);
  const TensorFacts result{node.input(0).type,
                           Dims{q[0], q[1], checked_product(heads, step.value_size)}};
  if (node.has_input(linear_past)) {
    return {result, {node.input(linear_past).type, node.shape(linear_past)}};
  }
  Dims state = step.states();
  if (const std::int64_t window = node.integer("state_window", 0); window > 0) {
    state.insert(state.begin(), window);
  }
  return {result, {node.input(0).type, state}};
}

void refuse_several(std::int64_t tokens) {
  if (tokens == 1) return;
  throw NotExpressible("a recurrence over " + std::to_string(tokens) +
                       " tokens, which no library here has");
}

/// How a state changes: "linear", "gated", "delta" or "gated_delta".
struct UpdateRule {
  explicit UpdateRule(const NodeView& node) {
    const std::string name = node.text("update_rule", "gated_delta");
    decays = name == "gated" || name == "gated_delta";
    has_rate = name == "delta" || name == "gated_delta";
    if (!decays && !has_rate && name != "linear") throw NotExpressible("an update rule " + name);
  }
  bool decays = false;
  bool has_rate = false;
};

float result_scale(const NodeView& node, std::int64_t key_size) {
  const float stated = node.real("scale", 0);
  return stated != 0 ? stated : 1 / std::sqrt(static_cast<float>(key_size));
}

void check_state(const Dims& state, const StateStep& step) {
  if (state == step.states()) return;
  throw Error("a state of " + join(state, 'x') + ", not " + join(step.states(), 'x'));
}

Lowered lower_linear_attention(const NodeView& node) {
  if (node.integer("state_window", 0) != 0) throw NotExpressible("a state for each token");
  StateStep step = linear_step(node);
  refuse_several(node.shape(0)[1]);
  const UpdateRule rule(node);
  step.query = from_input(0);
  step.key = from_input(1);
  step.value = from_input(2);
  step.scale = result_scale(node, step.key_size);
  if (node.has_input(linear_past)) {
    check_state(node.shape(linear_past), step);
    step.state = from_input(linear_past);
  }
  if (rule.decays) {
    const std::int64_t decays = node.elements(linear_decay) / std::max<std::int64_t>(1, step.batch);
    step.decay = from_input(linear_decay);
    step.decay_of_each_key = decays != step.heads;
    if (step.decay_of_each_key && decays != step.heads * step.key_size) {
      throw Error("a decay of " + join(node.shape(linear_decay), 'x'));
    }
  }
  if (rule.has_rate) {
    step.rate = from_input(linear_rate);
    step.rate_heads = node.shape(linear_rate).back();
  }
  std::vector<Call> calls;
  step.add_calls(calls, 1);
  return measured(std::move(calls));
}

/// Decays of `scale` softplus(a + bias), and rates of sigmoid(b).
Lowered lower_linear_gate(const NodeView& node) {
  const Dims dims = node.extents(0);
  const Dims row{dims.back()};
  std::vector<Call> calls;
  if (node.has_input(3)) {
    calls.push_back(function_call(node.extents(3), ActivationKind::sigmoid, from_input(3)));
    calls.back().output = 1;
  }
  const auto combine = [&](BinaryKind kind, const Source& a, int with) {
    calls.push_back(elementwise_call(
        kind, {dims, false, a},
        {row, node.input(static_cast<std::size_t>(with)).constant, from_input(with)}));
  };
  combine(BinaryKind::add, from_input(0), 1);
  calls.push_back(function_call(dims, ActivationKind::softplus, last_result(calls)));
  combine(BinaryKind::mul, last_result(calls), 2);
  return measured(std::move(calls));
}

std::vector<TensorFacts> linear_gate_shape(const NodeView& node) {
  const TensorFacts decay{node.input(0).type, node.input(0).shape};
  if (!node.has_input(3)) return {decay};
  return {decay, {node.input(3).type, node.input(3).shape}};
}

}  // namespace

void register_linear_attention(OperatorTable& table) {
  // Of several states only the last one is read.
  const auto past = [](const NodeView& node) -> std::vector<std::size_t> {
    if (node.integer("state_window", 0) > 1) return {};
    return {linear_past};
  };
  for (const auto* op : {"LinearAttention", "com.microsoft.LinearAttention"}) {
    table.add(op, {.shapes = {{linear_attention_shape}},
                   .lower = lower_linear_attention,
                   .reads_whole = past,
                   .writes_whole = [](const NodeView&) -> std::vector<std::size_t> { return {1}; },
                   .idle_attributes = {"chunk_size"}});
  }
  table.add("com.microsoft.LinearAttentionGate",
            {.shapes = {{linear_gate_shape}}, .lower = lower_linear_gate});
}

}  // namespace benanza::onnx
