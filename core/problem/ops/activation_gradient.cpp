#include "core/problem/ops/activation_gradient.h"

#include <map>

namespace benanza {
namespace {

constexpr std::string_view suffix = "_bwd";

}  // namespace

bool has_gradient(ActivationKind kind) {
  using enum ActivationKind;
  return kind != linear && kind != floor && kind != ceil && kind != round && kind != sign;
}

bool ActivationGradient::owns(std::string_view op) {
  if (!op.ends_with(suffix)) return false;
  op.remove_suffix(suffix.size());
  return op != "linear" && Activation::owns(op);
}

std::string_view ActivationGradient::op() const {
  static const std::map<ActivationKind, std::string> names = [] {
    std::map<ActivationKind, std::string> all;
    for (auto kind = ActivationKind::relu; kind <= ActivationKind::cos;
         kind = static_cast<ActivationKind>(static_cast<int>(kind) + 1)) {
      all[kind] = std::string(Activation{.input = {}, .kind = kind}.op()) + std::string(suffix);
    }
    return all;
  }();
  return names.at(forward.kind);
}

void ActivationGradient::map(KeyFields& fields) {
  if (KeyReader* reader = fields.reader()) reader->drop_from_op(suffix);
  forward.map(fields);
  fields.require(has_gradient(forward.kind), "a function with a gradient");
}

bool ActivationGradient::of_result() const {
  using enum ActivationKind;
  switch (forward.kind) {
    case relu:
    case clip:
    case sigmoid:
    case tanh:
    case exp:
    case sqrt:
      return true;
    case leaky_relu:
    case elu:
      // A negative result then implies a negative input.
      return forward.alpha >= 0;
    default:
      return false;
  }
}

std::vector<Operand> ActivationGradient::inputs() const {
  Operand kept = forward.inputs().front();
  kept.name = of_result() ? "result" : "input";
  return {{.name = "output gradient", .dims = forward.input}, kept};
}

}  // namespace benanza
