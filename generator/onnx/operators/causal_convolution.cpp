#include <array>

#include "core/base/error.h"
#include "generator/onnx/model/node_view.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

/// Convolutions of channels by themselves that see earlier tokens, and hand the last ones on.
namespace benanza::onnx {
namespace {

constexpr std::size_t causal_bias = 2;
constexpr std::size_t causal_past = 3;

/// Tokens that the next run needs.
std::int64_t state_length(const NodeView& node) {
  const Dims& weights = node.shape(1);
  if (weights.size() < 3) throw Error("weights of " + join(weights, 'x'));
  return checked_product(weights.back() - 1, node.integer("dilation", 1));
}

/// Input: (batch, channels, length), or with channels_last (batch, length, channels). The state
/// holds the start of the next window; with state_window, as many of them.
std::vector<TensorFacts> causal_convolution_shape(const NodeView& node) {
  const Dims& input = node.shape(0);
  const int type = node.input(0).type;
  if (node.has_input(causal_past)) {
    return {{type, input}, {node.input(causal_past).type, node.shape(causal_past)}};
  }
  if (input.size() != 3 || node.shape(1).size() != 3) {
    throw Error("input and weights need three axes");
  }
  Dims state = input;
  state[node.flag("channels_last") ? 1 : 2] = state_length(node);
  if (const std::int64_t window = node.integer("state_window", 0); window > 0) {
    state.insert(state.begin(), window);
  }
  return {{type, input}, {type, state}};
}

/// Input: (tokens of all sequences, channels).
std::vector<TensorFacts> packed_convolution_shape(const NodeView& node) {
  constexpr std::size_t state = 4;
  const TensorFacts present = node.has_input(state)
                                  ? TensorFacts{node.input(state).type, node.shape(state)}
                                  : TensorFacts{};
  return {{node.input(0).type, node.shape(0)}, present};
}

void refuse_other_layouts(const NodeView& node) {
  if (node.integer("ndim", 1) != 1) throw NotExpressible("windows of several axes");
  if (node.flag("channels_last")) throw NotExpressible("channels behind the tokens");
  if (node.integer("state_window", 0) != 0) throw NotExpressible("a state for each token");
  if (node.integer("state_channels_last", 0) > 0) {
    throw NotExpressible("a state with its channels behind the tokens");
  }
  constexpr std::array others{"state_update_capacity", "state_length", "input_channel_offset",
                              "input_channels"};
  for (const char* name : others) {
    if (node.integer(name, 0) == 0) continue;
    throw NotExpressible("its attribute " + std::string(name) + " = " +
                         std::to_string(node.integer(name, 0)) + " is not taken into account");
  }
}

/// What the next run needs of the last of all tokens.
Call kept_tokens(const Dims& all, std::int64_t kept, const Source& source) {
  const Dims dims{all[0], all[1], kept};
  Call copy = copy_call({dims, dense_strides(all), all[2] - kept}, dense_view(dims), 1);
  copy.operands = {source};
  return copy;
}

void add_causal_function(const NodeView& node, const Dims& dims, std::vector<Call>& calls) {
  const std::string function = node.text("activation", "none");
  if (function == "none" || function.empty()) return;
  if (function != "silu" && function != "swish") {
    throw NotExpressible("the function " + function + " behind a convolution");
  }
  calls.push_back(function_call(dims, ActivationKind::swish, last_result(calls), 1));
}

/// The earlier tokens before the new ones, a copy of the last of them, and a convolution; without
/// earlier ones, zeros are before the new ones.
Lowered lower_causal_convolution(const NodeView& node) {
  refuse_other_layouts(node);
  const Dims& input = node.shape(0);
  const Dims& weights = node.shape(1);
  const std::int64_t kept = state_length(node);
  if (input.size() != 3 || weights.size() != 3 || weights[0] != input[1] || weights[1] != 1) {
    throw Error("weights of " + join(weights, 'x') + " for an input of " + join(input, 'x'));
  }
  std::vector<Call> calls;
  Dims all = input;
  Source tokens = from_input(0);
  const bool continues = node.has_input(causal_past) && kept > 0;
  if (continues) {
    const Dims& past = node.shape(causal_past);
    if (past != Dims{input[0], input[1], kept}) {
      throw Error("a state of " + join(past, 'x') + " for " + std::to_string(kept) +
                  " earlier tokens of " + join(input, 'x'));
    }
    calls.push_back(
        call(Concat{.parts = {past, input}, .axis = 2}, {from_input(causal_past), from_input(0)}));
    all[2] += kept;
    tokens = last_result(calls);
  } else if (node.has_output(1) && input[2] < kept) {
    throw NotExpressible("a state that begins with zeros");
  }
  if (node.has_output(1) && kept > 0) calls.push_back(kept_tokens(all, kept, tokens));
  const Convolution shape{.input = all,
                          .filters = input[1],
                          .window = {.kernel = {weights[2]},
                                     .pads = {continues ? 0 : kept, 0},
                                     .strides = {1},
                                     .dilations = {node.integer("dilation", 1)}},
                          .groups = input[1]};
  calls.push_back(call(shape, {tokens, from_input(1)}));
  if (node.has_input(causal_bias)) {
    calls.push_back(filter_bias(node, causal_bias, input, last_result(calls)));
  }
  add_causal_function(node, input, calls);
  return measured(std::move(calls));
}

}  // namespace

void register_causal_convolution(OperatorTable& table) {
  // Of several states only the last one is read.
  const auto past = [](const NodeView& node) -> std::vector<std::size_t> {
    if (node.integer("state_window", 0) > 1) return {};
    return {causal_past};
  };
  const auto state = [](const NodeView&) -> std::vector<std::size_t> { return {1}; };
  for (const auto* op : {"CausalConvWithState", "com.microsoft.CausalConvWithState"}) {
    table.add(op, {.shapes = {{causal_convolution_shape}},
                   .lower = lower_causal_convolution,
                   .reads_all_constants = true,
                   .reads_whole = past,
                   .writes_whole = state});
  }
  table.add("com.microsoft.VarlenCausalConvWithState",
            {.shapes = {{packed_convolution_shape}},
             .unsupported = "no library here has convolutions of sequences of several lengths",
             .reads_all_constants = true,
             .reads_whole = [](const NodeView&) -> std::vector<std::size_t> { return {4}; },
             .writes_whole = state});
}

}  // namespace benanza::onnx
