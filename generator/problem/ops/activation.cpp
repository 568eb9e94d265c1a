#include "problem/ops/activation.h"

#include <array>

namespace benanza {
namespace {

struct Row {
  ActivationKind kind;
  std::string_view op;
  bool has_alpha;
  bool has_beta;
};

constexpr std::array<Row, 7> rows{{
    {ActivationKind::relu, "relu", false, false},
    {ActivationKind::leaky_relu, "leakyrelu", true, false},
    {ActivationKind::clip, "clip", true, true},
    {ActivationKind::elu, "elu", true, false},
    {ActivationKind::sigmoid, "sigmoid", false, false},
    {ActivationKind::tanh, "tanh", false, false},
    {ActivationKind::linear, "linear", true, true},
}};

const Row& row(ActivationKind kind) { return rows[static_cast<std::size_t>(kind)]; }

const Row* find(std::string_view op) {
  for (const Row& candidate : rows) {
    if (candidate.op == op) return &candidate;
  }
  return nullptr;
}

}  // namespace

bool Activation::owns(std::string_view op) { return find(op) != nullptr; }

std::string_view Activation::op() const { return row(kind).op; }

void Activation::write(KeyWriter& writer) const {
  writer.dims("", input);
  if (row(kind).has_alpha) writer.real("a", alpha);
  if (row(kind).has_beta) writer.real("b", beta);
}

Activation Activation::read(KeyReader& reader) {
  const Row& found = *find(reader.op());
  Activation shape;
  shape.kind = found.kind;
  shape.input = reader.dims("");
  if (found.has_alpha) shape.alpha = reader.real("a");
  if (found.has_beta) shape.beta = reader.real("b");
  return shape;
}

}  // namespace benanza
