#include "core/problem/ops/instance_normalization.h"

namespace benanza {

void InstanceNormalization::map(KeyFields& fields) {
  fields.dims("", input);
  fields.require(input.size() >= 3, "an input of n, c and at least one more axis");
  fields.real("e", epsilon).flag("sb", affine);
}

std::vector<Operand> InstanceNormalization::inputs() const {
  std::vector<Operand> operands{{.name = "input", .dims = input}};
  if (affine) {
    operands.push_back({.name = "scale", .dims = {input[1]}, .role = Role::weights});
    operands.push_back({.name = "bias", .dims = {input[1]}, .role = Role::weights});
  }
  return operands;
}

}  // namespace benanza
