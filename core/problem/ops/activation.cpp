#include "core/problem/ops/activation.h"

#include <array>
#include <cmath>

namespace benanza {
namespace {

struct ActivationRow {
  ActivationKind kind;
  std::string_view op;
  bool has_alpha;
  bool has_beta;
};

constexpr std::array<ActivationRow, 26> rows{{
    {ActivationKind::relu, "relu", false, false},
    {ActivationKind::leaky_relu, "leakyrelu", true, false},
    {ActivationKind::clip, "clip", true, true},
    {ActivationKind::elu, "elu", true, false},
    {ActivationKind::sigmoid, "sigmoid", false, false},
    {ActivationKind::tanh, "tanh", false, false},
    {ActivationKind::linear, "linear", true, true},
    {ActivationKind::gelu, "gelu", false, false},
    {ActivationKind::gelu_tanh, "gelutanh", false, false},
    {ActivationKind::erf, "erf", false, false},
    {ActivationKind::hard_swish, "hardswish", false, false},
    {ActivationKind::softplus, "softplus", false, false},
    {ActivationKind::softsign, "softsign", false, false},
    {ActivationKind::mish, "mish", false, false},
    {ActivationKind::swish, "swish", true, false},
    {ActivationKind::exp, "exp", false, false},
    {ActivationKind::log, "log", false, false},
    {ActivationKind::sqrt, "sqrt", false, false},
    {ActivationKind::pow, "pow", true, false},
    {ActivationKind::abs, "abs", false, false},
    {ActivationKind::floor, "floor", false, false},
    {ActivationKind::ceil, "ceil", false, false},
    {ActivationKind::round, "round", false, false},
    {ActivationKind::sign, "sign", false, false},
    {ActivationKind::sin, "sin", false, false},
    {ActivationKind::cos, "cos", false, false},
}};

const ActivationRow& row(ActivationKind kind) { return rows[static_cast<std::size_t>(kind)]; }

const ActivationRow* find(std::string_view op) {
  for (const ActivationRow& candidate : rows) {
    if (candidate.op == op) return &candidate;
  }
  return nullptr;
}

}  // namespace

void Activation::write_function(KeyWriter& writer) const {
  writer.word(op());
  KeyFields fields(writer);
  const_cast<Activation*>(this)->map_parameters(fields);  // reads only
}

std::optional<Activation> Activation::read_function(KeyReader& reader) {
  for (const ActivationRow& candidate : rows) {
    if (!reader.accept(candidate.op)) continue;
    Activation function{.input = {}, .kind = candidate.kind};
    KeyFields fields(reader);
    function.map_parameters(fields);
    return function;
  }
  return std::nullopt;
}

bool Activation::owns(std::string_view op) { return find(op) != nullptr; }

std::string_view Activation::op() const { return row(kind).op; }

void Activation::map(KeyFields& fields) {
  if (const KeyReader* reader = fields.reader()) kind = find(reader->op())->kind;
  fields.dims("", input);
  map_parameters(fields);
}

void Activation::map_parameters(KeyFields& fields) {
  const auto map_one = [&](std::string_view name, float& parameter) {
    if (kind == ActivationKind::clip) {
      fields.limit(name, parameter);
    } else {
      fields.real(name, parameter);
    }
  };
  if (row(kind).has_alpha) map_one("a", alpha);
  if (row(kind).has_beta) map_one("b", beta);
}

std::vector<Operand> Activation::inputs() const {
  const bool positive = kind == ActivationKind::log || kind == ActivationKind::sqrt ||
                        (kind == ActivationKind::pow && alpha != std::nearbyint(alpha));
  return {{.name = "input", .dims = input, .domain = positive ? Domain::positive : Domain::any}};
}

}  // namespace benanza
