#include "core/problem/ops/batch_normalization.h"

namespace benanza {

void BatchNormalization::map(KeyFields& fields) {
  fields.dims("", input).require(input.size() >= 2, "an input with a channel axis");
  fields.real("e", epsilon);
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
