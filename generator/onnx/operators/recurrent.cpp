#include <algorithm>
#include <cctype>

#include "core/base/error.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {
namespace {

/// Outputs Y, Y_h and, for an LSTM, Y_c. The schemas require hidden_size, although the recurrence
/// weights imply it.
std::vector<TensorFacts> recurrent_shape(const NodeView& node) {
  const Dims& input = node.shape(0);
  const Dims& recurrence = node.shape(2);
  if (input.size() != 3) throw Error("an input of " + join(input, 'x') + " has not three axes");
  if (recurrence.size() != 3) throw Error("recurrence weights of " + join(recurrence, 'x'));
  const std::int64_t directions = recurrence[0];
  const std::int64_t hidden = recurrence[2];
  const bool batch_first = node.flag("layout");
  const int type = node.input(0).type;
  const TensorFacts state{
      type, batch_first ? Dims{input[0], directions, hidden} : Dims{directions, input[1], hidden}};
  return {{type, batch_first ? Dims{input[0], input[1], directions, hidden}
                             : Dims{input[0], directions, input[1], hidden}},
          state,
          state};
}

// Indices of the inputs.
constexpr std::size_t bias_input = 3;
constexpr std::size_t lengths_input = 4;
constexpr std::size_t h_input = 5;
constexpr std::size_t c_input = 6;
constexpr std::size_t peepholes_input = 7;

RecurrentDirection direction_of(const NodeView& node) {
  const std::string word = node.text("direction", "forward");
  if (word == "forward") return RecurrentDirection::forward;
  if (word == "reverse") return RecurrentDirection::reverse;
  if (word == "bidirectional") return RecurrentDirection::bidirectional;
  throw Error("direction \"" + word + "\" is unknown");
}

/// Activations of each direction in lower case, "sigmoid tanh"; `usual` if none are stated.
std::vector<std::string> activations(const NodeView& node, std::int64_t directions,
                                     const std::string& usual) {
  const auto stated = node.texts("activations").value_or(std::vector<std::string>{});
  if (stated.empty()) return std::vector<std::string>(static_cast<std::size_t>(directions), usual);
  const auto each = static_cast<std::size_t>(std::ranges::count(usual, ' ')) + 1;
  if (stated.size() != each * static_cast<std::size_t>(directions)) {
    throw Error("needs " + std::to_string(each) + " activations for each direction");
  }
  std::vector<std::string> result;
  for (std::size_t index = 0; index < stated.size(); ++index) {
    std::string name = stated[index];
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    if (index % each == 0) {
      result.push_back(name);
    } else {
      result.back() += ' ' + name;
    }
  }
  return result;
}

RecurrentKind kind_of(const NodeView& node, std::int64_t directions) {
  const std::string& op = node.op_type();
  const bool is_lstm = op == "LSTM" || op == "DynamicQuantizeLSTM";
  const std::string usual = is_lstm ? "sigmoid tanh tanh" : op == "GRU" ? "sigmoid tanh" : "tanh";
  const std::vector<std::string> stated = activations(node, directions, usual);
  const auto all = [&](const std::string& wanted) {
    return std::ranges::all_of(stated, [&](const auto& one) { return one == wanted; });
  };
  if (op == "RNN" && all("relu")) return RecurrentKind::rnn_relu;
  if (!all(usual)) throw NotExpressible("activations other than " + usual);
  return is_lstm ? RecurrentKind::lstm : op == "GRU" ? RecurrentKind::gru : RecurrentKind::rnn_tanh;
}

void refuse_variants(const NodeView& node) {
  if (node.has("clip")) throw NotExpressible("clipped gates (clip)");
  if (node.flag("input_forget")) throw NotExpressible("coupled gates (input_forget)");
  if (node.has_input(peepholes_input)) throw NotExpressible("peepholes (input P)");
}

/// Lengths that nobody states pass: those of every sequence are then taken to be the input's.
void check_lengths(const NodeView& node, std::int64_t steps) {
  if (!node.has_input(lengths_input)) return;
  if (!node.input(lengths_input).literal) return;
  const Dims lengths = node.integers(lengths_input);
  if (std::ranges::any_of(lengths, [&](auto length) { return length != steps; })) {
    throw NotExpressible("sequences shorter than the input (sequence_lens)");
  }
}

void check_extents(const NodeView& node, std::size_t index, const Dims& wanted) {
  if (node.shape(index) == wanted) return;
  throw Error("input \"" + node.input(index).name + "\" of " + join(node.shape(index), 'x') +
              " where " + join(wanted, 'x') + " is needed");
}

/// Whether the input is omitted, which means zero, or known to be all zero.
bool is_zero(const NodeView& node, std::size_t index) {
  if (!node.has_input(index)) return true;
  if (!node.input(index).literal) return false;
  return std::visit(
      [](const auto& values) {
        return std::ranges::all_of(values, [](auto value) { return value == 0; });
      },
      *node.input(index).literal);
}

/// The node's initial states, if they may be nonzero. Sets `shape.initial`.
std::vector<Source> initial_states(const NodeView& node, Recurrent& shape) {
  std::vector<std::size_t> indices{h_input};
  if (shape.kind == RecurrentKind::lstm) indices.push_back(c_input);
  if (std::ranges::all_of(indices, [&](auto index) { return is_zero(node, index); })) {
    return {};
  }
  shape.initial = true;
  std::vector<Source> sources;
  for (const std::size_t index : indices) {
    if (!node.has_input(index)) throw NotExpressible("one of two initial states alone");
    check_extents(node, index,
                  shape.batch_first ? Dims{shape.batch, shape.directions(), shape.hidden}
                                    : Dims{shape.directions(), shape.batch, shape.hidden});
    sources.push_back(from_input(index));
  }
  return sources;
}

/// How a node stores its weights: rows of inputs, or the other way round.
enum class WeightOrder { rows, columns };

Call recurrent_call(const NodeView& node, WeightOrder order) {
  refuse_variants(node);
  const Dims& input = node.shape(0);
  const Dims& recurrence = node.shape(2);
  if (input.size() != 3) throw Error("an input of " + join(input, 'x') + " has not three axes");
  if (recurrence.size() != 3) throw Error("weights of " + join(recurrence, 'x'));

  Recurrent shape;
  shape.direction = direction_of(node);
  shape.kind = kind_of(node, shape.directions());
  shape.batch_first = node.flag("layout");
  shape.steps = input[shape.batch_first ? 1 : 0];
  shape.batch = input[shape.batch_first ? 0 : 1];
  shape.input_size = input[2];
  shape.hidden = recurrence[order == WeightOrder::rows ? 2 : 1];
  shape.linear_before_reset = shape.kind == RecurrentKind::gru && node.flag("linear_before_reset");
  if (node.integer("hidden_size", shape.hidden) != shape.hidden) {
    throw Error("hidden_size differs from the weights' " + std::to_string(shape.hidden));
  }
  const std::int64_t rows = shape.gates() * shape.hidden;
  const auto extents = [&](std::int64_t inputs) {
    return order == WeightOrder::rows ? Dims{shape.directions(), rows, inputs}
                                      : Dims{shape.directions(), inputs, rows};
  };
  check_extents(node, 1, extents(shape.input_size));
  check_extents(node, 2, extents(shape.hidden));
  check_lengths(node, shape.steps);

  std::vector<Source> operands{from_input(0), from_input(1), from_input(2)};
  if (node.has_input(bias_input)) {
    check_extents(node, bias_input, {shape.directions(), 2 * rows});
    shape.bias = true;
    operands.push_back(from_input(bias_input));
  }
  const std::vector<Source> states = initial_states(node, shape);
  operands.insert(operands.end(), states.begin(), states.end());
  shape.final = node.has_output(1) || node.has_output(2);
  if (shape.batch_first && shape.directions() == 2 && shape.batch > 1 &&
      (shape.initial || shape.final)) {
    throw NotExpressible("states of two directions batch by batch (layout = 1)");
  }
  return call(shape, std::move(operands));
}

Lowered lower_recurrence(const NodeView& node, Call call, Types types = Types::floating_only) {
  const std::int64_t steps = std::get<Recurrent>(call.problem.shape).steps;
  Lowered lowered = measured({std::move(call)}, types);
  if (node.has_input(lengths_input) && !node.input(lengths_input).literal) {
    lowered.reason = "its sequences are taken to be as long as the input (sequence_lens)";
    lowered.taken = {{lengths_input, steps}};
  }
  return lowered;
}

Lowered lower_recurrent(const NodeView& node) {
  return lower_recurrence(node, recurrent_call(node, WeightOrder::rows));
}

/// The input is scaled by its largest value, the state by that of every step. The call has one
/// scale for both, and the conversions are not counted: it takes less time.
Lowered lower_dynamic_quantize_lstm(const NodeView& node) {
  for (const std::size_t index : {std::size_t{1}, std::size_t{2}}) {
    const std::string type = type_name(node.input(index).type);
    if (type != "int8" && type != "uint8") throw NotExpressible("weights of " + type);
    if (!node.input(index).constant) throw NotExpressible("weights that change with every run");
  }
  Call lstm = recurrent_call(node, WeightOrder::columns);
  lstm.is_proxy = true;
  Lowered lowered = lower_recurrence(node, std::move(lstm), Types::checked_by_lowering);
  lowered.precision = to_string(Precision::int8);
  return lowered;
}

/// W and R are directions x inputs x gates, unlike those of LSTM.
std::vector<TensorFacts> dynamic_quantize_lstm_shape(const NodeView& node) {
  const Dims& input = node.shape(0);
  const Dims& recurrence = node.shape(2);
  if (input.size() != 3 || recurrence.size() != 3) throw Error("X and R need three axes each");
  const int type = node.input(0).type;
  const Dims state{recurrence[0], input[1], recurrence[1]};
  return {
      {type, Dims{input[0], recurrence[0], input[1], recurrence[1]}}, {type, state}, {type, state}};
}

}  // namespace

void register_recurrent(OperatorTable& table) {
  for (const auto* op : {"RNN", "LSTM", "GRU"}) {
    table.add(op, {.shapes = {{recurrent_shape}},
                   .lower = lower_recurrent,
                   .reads_all_constants = true,
                   .idle_attributes = {"activation_alpha", "activation_beta", "output_sequence"}});
  }
  table.add("com.microsoft.DynamicQuantizeLSTM",
            {.shapes = {{dynamic_quantize_lstm_shape}},
             .lower = lower_dynamic_quantize_lstm,
             .reads_all_constants = true,
             .idle_attributes = {"activation_alpha", "activation_beta"},
             .idle_inputs = {8, 9, 10, 11}});
}

}  // namespace benanza::onnx
