#include "core/problem/ops/recurrent_gradient.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace benanza {
namespace {

// No suffix ends with another one, so at most one matches.
constexpr std::array<std::pair<std::string_view, RecurrentGradients>, 3> endings{
    {{"_bwd_data", RecurrentGradients::of_data},
     {"_bwd_weights", RecurrentGradients::of_weights},
     {"_bwd", RecurrentGradients::of_both}}};

struct Name {
  std::string op;
  RecurrentKind kind;
  RecurrentGradients of;
};

/// Every kind with every ending.
const std::vector<Name>& gradient_names() {
  static const std::vector<Name> all = [] {
    std::vector<Name> made;
    for (const RecurrentKind kind : {RecurrentKind::rnn_tanh, RecurrentKind::rnn_relu,
                                     RecurrentKind::lstm, RecurrentKind::gru}) {
      for (const auto& [ending, of] : endings) {
        made.push_back({std::string(Recurrent{.kind = kind}.op()) + std::string(ending), kind, of});
      }
    }
    return made;
  }();
  return all;
}

/// Operations per hidden unit, step and entry of the derivatives, other than the products. lstm: dh
/// (1), output gate (4), dc (6), input gate, forget gate and candidate (4 each). gru: dh (2),
/// update gate (5), candidate (5), reset gate (4) and its product (2). tanh: 4. relu: 2.
std::int64_t derivative_operations(RecurrentKind kind) {
  switch (kind) {
    case RecurrentKind::lstm:
      return 23;
    case RecurrentKind::gru:
      return 18;
    case RecurrentKind::rnn_tanh:
      return 4;
    case RecurrentKind::rnn_relu:
      break;
  }
  return 2;
}

std::int64_t count_elements(const std::vector<Dims>& all) {
  std::int64_t total = 0;
  for (const Dims& dims : all) total += element_count(dims);
  return total;
}

}  // namespace

bool RecurrentGradient::owns(std::string_view op) {
  return std::ranges::any_of(gradient_names(), [&](const Name& name) { return name.op == op; });
}

std::string_view RecurrentGradient::op() const {
  return std::ranges::find_if(
             gradient_names(),
             [&](const Name& name) { return name.kind == forward.kind && name.of == of; })
      ->op;
}

void RecurrentGradient::map(KeyFields& fields) {
  KeyReader* const reader = fields.reader();
  if (reader == nullptr) {
    forward.map(fields);
    return;
  }
  const auto* const ending = std::ranges::find_if(
      endings, [&](const auto& one) { return reader->op().ends_with(one.first); });
  of = ending->second;
  reader->drop_from_op(ending->first);
  forward.map(fields);
  fields.require(!forward.training, "a gradient without training");
  if (read_elements() > most_elements) {
    reader->too_large("what the forward call kept is of more than 2^48 elements");
  }
}

std::vector<Operand> RecurrentGradient::inputs() const {
  std::vector<Operand> operands = forward.inputs();
  const std::vector<Dims> parts = forward.results();
  constexpr std::array<std::string_view, 3> part_names{"output gradient", "last h gradient",
                                                       "last c gradient"};
  for (std::size_t part = 0; part < parts.size(); ++part) {
    operands.push_back({.name = part_names.at(part), .dims = parts[part]});
  }
  return operands;
}

Dims RecurrentGradient::output() const { return {count_elements(results())}; }

std::vector<Dims> RecurrentGradient::results() const {
  std::vector<Dims> data;
  std::vector<Dims> weights;
  for (const Operand& operand : forward.inputs()) {
    (operand.role == Role::weights ? weights : data).push_back(operand.dims);
  }
  std::vector<Dims> parts;
  if (of_data()) parts = std::move(data);
  if (of_weights()) parts.insert(parts.end(), weights.begin(), weights.end());
  return parts;
}

double RecurrentGradient::flops() const {
  const double cells = real_count(
      {forward.layers, forward.steps, forward.batch, forward.directions(), forward.hidden});
  double total = product_flops();
  if (of_data()) total += cells * static_cast<double>(derivative_operations(forward.kind));
  if (of_weights()) total += cells * static_cast<double>(forward.biases());
  return total;
}

double RecurrentGradient::product_flops() const {
  return forward.product_flops() * (int{of_data()} + int{of_weights()});
}

std::int64_t RecurrentGradient::read_elements() const {
  const std::vector<Operand> operands = forward.inputs();
  const std::int64_t states = element_count(
      {forward.layers, forward.directions(), forward.steps, forward.batch, forward.hidden});
  const std::int64_t gates = saturated_product(forward.gates(), states);
  std::int64_t total = 0;
  const auto add = [&](std::int64_t elements) { total = saturated_sum(total, elements); };
  for (const Operand& operand : operands) {
    const bool is_bias = operand.name == "bias";
    if (operand.role == Role::weights && of_data() && !is_bias) add(element_count(operand.dims));
    if (operand.role == Role::data && of_weights()) add(element_count(operand.dims));
  }
  if (of_data()) add(saturated_sum(count_elements(forward.results()), gates));
  if (of_weights()) add(states);
  if (!of_data()) add(gates);
  return total;
}

std::int64_t RecurrentGradient::reduction_length() const {
  const std::int64_t data = forward.gates() * forward.hidden * forward.directions();
  const std::int64_t weights = forward.steps * forward.batch;
  if (!of_weights()) return data;
  return of_data() ? std::max(data, weights) : weights;
}

}  // namespace benanza
