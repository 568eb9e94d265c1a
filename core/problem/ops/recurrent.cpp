#include "core/problem/ops/recurrent.h"

#include <algorithm>
#include <array>
#include <utility>

namespace benanza {
namespace {

constexpr std::array<std::pair<std::string_view, RecurrentKind>, 4> kinds{
    {{"rnntanh", RecurrentKind::rnn_tanh},
     {"rnnrelu", RecurrentKind::rnn_relu},
     {"lstm", RecurrentKind::lstm},
     {"gru", RecurrentKind::gru}}};

/// Operations per hidden unit and step other than the products: activations, and sums and products
/// of gates and states.
std::int64_t pointwise_operations(RecurrentKind kind) {
  switch (kind) {
    case RecurrentKind::lstm:
      return 5 + 4;  // i o f c and tanh(C); f C + i c, o tanh(C)
    case RecurrentKind::gru:
      return 3 + 5;  // z r h; the reset's product, (1 - z) h + z H
    case RecurrentKind::rnn_tanh:
    case RecurrentKind::rnn_relu:
      break;
  }
  return 1;
}

}  // namespace

bool Recurrent::owns(std::string_view op) {
  return std::ranges::any_of(kinds, [&](const auto& one) { return one.first == op; });
}

std::string_view Recurrent::op() const {
  return std::ranges::find_if(kinds, [&](const auto& one) { return one.second == kind; })->first;
}

void Recurrent::map(KeyFields& fields) {
  if (const KeyReader* reader = fields.reader()) {
    kind =
        std::ranges::find(kinds, reader->op(), [](const auto& one) { return one.first; })->second;
  }
  fields.integer("t", steps).integer("n", batch).integer("i", input_size);
  fields.integer("h", hidden).integer("l", layers);
  fields.require(steps >= 1 && batch >= 1 && input_size >= 1 && hidden >= 1 && layers >= 1,
                 "positive steps, batch, sizes and layers");
  fields.choice({"forward", "reverse", "bidirectional"}, direction,
                "forward, reverse or bidirectional");
  if (kind == RecurrentKind::gru || linear_before_reset) fields.flag("lbr", linear_before_reset);
  fields.flag("bias", bias).flag("initial", initial).flag("final", final);
  fields.flag("batchfirst", batch_first).flag("training", training);
}

std::int64_t Recurrent::gates() const {
  switch (kind) {
    case RecurrentKind::lstm:
      return 4;
    case RecurrentKind::gru:
      return 3;
    case RecurrentKind::rnn_tanh:
    case RecurrentKind::rnn_relu:
      break;
  }
  return 1;
}

std::int64_t Recurrent::weights_begin(std::int64_t layer, std::int64_t direction_index) const {
  const std::int64_t rows = gates() * hidden;
  std::int64_t columns = direction_index * layer_inputs(layer);
  if (layer > 0) {
    const std::int64_t between = saturated_product(layer - 1, layer_inputs(1));
    columns = saturated_sum(columns, directions() * saturated_sum(layer_inputs(0), between));
  }
  return saturated_product(rows, columns);
}

std::vector<Operand> Recurrent::inputs() const {
  const std::int64_t rows = gates() * hidden;
  const std::int64_t cells = layers * directions();
  std::vector<Operand> operands{
      {.name = "input",
       .dims = batch_first ? Dims{batch, steps, input_size} : Dims{steps, batch, input_size}},
      {.name = "weights",
       .dims = layers == 1 ? Dims{directions(), rows, input_size} : Dims{weights_begin(layers, 0)},
       .role = Role::weights},
      {.name = "recurrence", .dims = {cells, rows, hidden}, .role = Role::weights}};
  if (bias) operands.push_back({.name = "bias", .dims = {cells, 2 * rows}, .role = Role::weights});
  if (initial) {
    for (const auto* name : {"initial_h", "initial_c"}) {
      operands.push_back({.name = name, .dims = {cells, batch, hidden}});
    }
    if (states() == 1) operands.pop_back();
  }
  return operands;
}

Dims Recurrent::output() const {
  return {steps + (final ? layers * states() : 0), element_count({directions(), batch, hidden})};
}

std::vector<Dims> Recurrent::results() const {
  std::vector<Dims> parts{batch_first ? Dims{batch, steps, directions(), hidden}
                                      : Dims{steps, directions(), batch, hidden}};
  const Dims state{layers * directions(), batch, hidden};
  if (final) parts.insert(parts.end(), static_cast<std::size_t>(states()), state);
  return parts;
}

std::int64_t Recurrent::biases() const {
  // The reset gate acts between the two biases of a candidate: they cannot be folded.
  return bias ? gates() + (linear_before_reset ? 1 : 0) : 0;
}

double Recurrent::product_flops() const {
  const double columns = static_cast<double>(layer_inputs(0) + hidden) +
                         real_count({layers - 1, layer_inputs(1) + hidden});
  return 2 * columns * real_count({gates(), steps, batch, directions(), hidden});
}

double Recurrent::flops() const {
  const double cells = real_count({layers, steps, batch, directions(), hidden});
  return product_flops() + cells * static_cast<double>(biases() + pointwise_operations(kind));
}

std::int64_t Recurrent::reduction_length() const {
  return std::max(input_size, layer_inputs(layers - 1)) + hidden;
}

}  // namespace benanza
