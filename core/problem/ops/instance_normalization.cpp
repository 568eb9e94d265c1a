#include "core/problem/ops/instance_normalization.h"

namespace benanza {

void InstanceNormalization::write(KeyWriter& writer) const {
  writer.dims("", input).real("e", epsilon);
  if (affine) writer.word("sb");
}

InstanceNormalization InstanceNormalization::read(KeyReader& reader) {
  InstanceNormalization shape;
  shape.input = reader.dims("");
  if (shape.input.size() < 3) reader.fail("an input of n, c and at least one more axis");
  shape.epsilon = reader.real("e");
  shape.affine = reader.accept("sb");
  return shape;
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
