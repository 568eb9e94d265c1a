#include <algorithm>
#include <cctype>

#include "core/base/error.h"
#include "generator/onnx/lowering.h"

namespace benanza::onnx::lower {
namespace {

// Inputs of the node.
constexpr std::size_t bias_input = 3;
constexpr std::size_t lengths_input = 4;
constexpr std::size_t h_input = 5;
constexpr std::size_t c_input = 6;
constexpr std::size_t peepholes_input = 7;

RecurrentDirection direction_of(const Node& node) {
  const std::string word = node.text("direction", "forward");
  if (word == "forward") return RecurrentDirection::forward;
  if (word == "reverse") return RecurrentDirection::reverse;
  if (word == "bidirectional") return RecurrentDirection::bidirectional;
  throw Error("direction \"" + word + "\" is unknown");
}

/// Activations of each direction, "sigmoid tanh", in lower case; `usual` where none is stated.
std::vector<std::string> activations(const Node& node, std::int64_t directions,
                                     const std::string& usual) {
  const auto stated = node.texts("activations").value_or(std::vector<std::string>{});
  if (stated.empty()) return std::vector<std::string>(static_cast<std::size_t>(directions), usual);
  const auto each = static_cast<std::size_t>(std::count(usual.begin(), usual.end(), ' ')) + 1;
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

RecurrentKind kind_of(const Site& site, std::int64_t directions) {
  const std::string& op = site.node().op_type();
  const std::string usual = op == "LSTM"  ? "sigmoid tanh tanh"
                            : op == "GRU" ? "sigmoid tanh"
                                          : "tanh";
  const std::vector<std::string> stated = activations(site.node(), directions, usual);
  const auto all = [&](const std::string& wanted) {
    return std::all_of(stated.begin(), stated.end(),
                       [&](const auto& one) { return one == wanted; });
  };
  if (op == "RNN" && all("relu")) return RecurrentKind::rnn_relu;
  if (!all(usual)) throw NotExpressible("activations other than " + usual);
  return op == "LSTM"  ? RecurrentKind::lstm
         : op == "GRU" ? RecurrentKind::gru
                       : RecurrentKind::rnn_tanh;
}

void refuse_variants(const Site& site) {
  const Node& node = site.node();
  if (node.has("clip")) throw NotExpressible("clipped gates (clip)");
  if (node.integer("input_forget", 0) != 0) throw NotExpressible("coupled gates (input_forget)");
  if (site.has_input(peepholes_input)) throw NotExpressible("peepholes (input P)");
}

void check_lengths(const Site& site, std::int64_t steps) {
  if (!site.has_input(lengths_input)) return;
  if (!site.input(lengths_input).literal) {
    throw NotExpressible("lengths that are only known when the model runs (sequence_lens)");
  }
  const Dims lengths = site.integers(lengths_input);
  if (std::any_of(lengths.begin(), lengths.end(), [&](auto length) { return length != steps; })) {
    throw NotExpressible("sequences shorter than the input (sequence_lens)");
  }
}

void check_extents(const Site& site, std::size_t index, const Dims& wanted) {
  if (site.shape(index) == wanted) return;
  throw Error("input \"" + site.input(index).name + "\" of " + join(site.shape(index), 'x') +
              " where " + join(wanted, 'x') + " is needed");
}

/// Zero is what a missing state means.
bool is_zero(const Site& site, std::size_t index) {
  if (!site.has_input(index)) return true;
  if (!site.input(index).literal) return false;
  return std::visit(
      [](const auto& values) {
        return std::all_of(values.begin(), values.end(), [](auto value) { return value == 0; });
      },
      *site.input(index).literal);
}

/// The node's initial states, where they are not zero. Sets `initial`.
std::vector<Source> initial_states(const Site& site, Recurrent& shape) {
  std::vector<std::size_t> indices{h_input};
  if (shape.kind == RecurrentKind::lstm) indices.push_back(c_input);
  if (std::all_of(indices.begin(), indices.end(),
                  [&](auto index) { return is_zero(site, index); })) {
    return {};
  }
  shape.initial = true;
  std::vector<Source> sources;
  for (const std::size_t index : indices) {
    if (!site.has_input(index)) throw NotExpressible("one of two initial states alone");
    check_extents(site, index,
                  shape.batch_first ? Dims{shape.batch, shape.directions(), shape.hidden}
                                    : Dims{shape.directions(), shape.batch, shape.hidden});
    sources.push_back(from_input(static_cast<int>(index)));
  }
  return sources;
}

Lowered recurrent(const Site& site) {
  const Node& node = site.node();
  refuse_variants(site);
  const Dims& input = site.shape(0);
  const Dims& recurrence = site.shape(2);
  if (input.size() != 3) throw Error("an input of " + join(input, 'x') + " has not three axes");
  if (recurrence.size() != 3) throw Error("weights of " + join(recurrence, 'x'));

  Recurrent shape;
  shape.direction = direction_of(node);
  shape.kind = kind_of(site, shape.directions());
  shape.batch_first = node.integer("layout", 0) != 0;
  shape.steps = input[shape.batch_first ? 1 : 0];
  shape.batch = input[shape.batch_first ? 0 : 1];
  shape.input_size = input[2];
  shape.hidden = recurrence[2];
  shape.linear_before_reset =
      shape.kind == RecurrentKind::gru && node.integer("linear_before_reset", 0) != 0;
  if (node.integer("hidden_size", shape.hidden) != shape.hidden) {
    throw Error("hidden_size differs from the weights' " + std::to_string(shape.hidden));
  }
  const std::int64_t rows = shape.gates() * shape.hidden;
  check_extents(site, 1, {shape.directions(), rows, shape.input_size});
  check_extents(site, 2, {shape.directions(), rows, shape.hidden});
  check_lengths(site, shape.steps);

  std::vector<Source> operands{from_input(0), from_input(1), from_input(2)};
  if (site.has_input(bias_input)) {
    check_extents(site, bias_input, {shape.directions(), 2 * rows});
    shape.bias = true;
    operands.push_back(from_input(bias_input));
  }
  const std::vector<Source> states = initial_states(site, shape);
  operands.insert(operands.end(), states.begin(), states.end());
  shape.final = site.has_output(1) || site.has_output(2);
  if (shape.batch_first && shape.directions() == 2 && shape.batch > 1 &&
      (shape.initial || shape.final)) {
    throw NotExpressible("states of two directions batch by batch (layout = 1)");
  }
  return measured({call(shape, std::move(operands))});
}

}  // namespace

void register_recurrent(LoweringTable& table) {
  for (const auto* op : {"RNN", "LSTM", "GRU"}) table.add(op, recurrent);
}

}  // namespace benanza::onnx::lower
