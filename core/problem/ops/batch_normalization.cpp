#include "core/problem/ops/batch_normalization.h"

namespace benanza {

BatchNormalization BatchNormalization::read(KeyReader& reader) {
  BatchNormalization shape;
  shape.input = reader.dims("");
  if (shape.input.size() < 2) reader.fail("an input with a channel axis");
  shape.epsilon = reader.real("e");
  return shape;
}

std::vector<Operand> BatchNormalization::inputs() const {
  const Dims channels{input[1]};
  return {
      {.name = "input", .dims = input},
      {.name = "scale", .dims = channels, .role = Role::weights},
      {.name = "bias", .dims = channels, .role = Role::weights},
      {.name = "mean", .dims = channels, .role = Role::weights},
      {.name = "variance", .dims = channels, .role = Role::weights, .domain = Domain::positive}};
}

}  // namespace benanza
