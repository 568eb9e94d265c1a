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

/// The bounds of a clip may be infinite; no other parameter is.
float read_parameter(KeyReader& reader, std::string_view name, ActivationKind kind) {
  return kind == ActivationKind::clip ? reader.limit(name) : reader.real(name);
}

const ActivationRow& row(ActivationKind kind) { return rows[static_cast<std::size_t>(kind)]; }

const ActivationRow* find(std::string_view op) {
  for (const ActivationRow& candidate : rows) {
    if (candidate.op == op) return &candidate;
  }
  return nullptr;
}

}  // namespace

void Activation::write_function(KeyWriter& writer) const {
  const ActivationRow& found = row(kind);
  writer.word(found.op);
  if (found.has_alpha) writer.real("a", alpha);
  if (found.has_beta) writer.real("b", beta);
}

std::optional<Activation> Activation::read_function(KeyReader& reader) {
  for (const ActivationRow& candidate : rows) {
    if (!reader.accept(candidate.op)) continue;
    Activation function{.input = {}, .kind = candidate.kind};
    if (candidate.has_alpha) function.alpha = read_parameter(reader, "a", candidate.kind);
    if (candidate.has_beta) function.beta = read_parameter(reader, "b", candidate.kind);
    return function;
  }
  return std::nullopt;
}

bool Activation::owns(std::string_view op) { return find(op) != nullptr; }

std::string_view Activation::op() const { return row(kind).op; }

void Activation::write(KeyWriter& writer) const {
  writer.dims("", input);
  if (row(kind).has_alpha) writer.real("a", alpha);
  if (row(kind).has_beta) writer.real("b", beta);
}

Activation Activation::read(KeyReader& reader) {
  const ActivationRow& found = *find(reader.op());
  Activation shape;
  shape.kind = found.kind;
  shape.input = reader.dims("");
  if (found.has_alpha) shape.alpha = read_parameter(reader, "a", found.kind);
  if (found.has_beta) shape.beta = read_parameter(reader, "b", found.kind);
  return shape;
}

std::vector<Operand> Activation::inputs() const {
  const bool positive = kind == ActivationKind::log || kind == ActivationKind::sqrt ||
                        (kind == ActivationKind::pow && alpha != std::nearbyint(alpha));
  return {{.name = "input", .dims = input, .domain = positive ? Domain::positive : Domain::any}};
}

}  // namespace benanza
