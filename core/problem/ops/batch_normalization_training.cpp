#include "core/problem/ops/batch_normalization_training.h"

namespace benanza {

void BatchNormalizationTraining::map(KeyFields& fields) {
  fields.dims("", input).require(input.size() >= 2, "an input with a channel axis");
  fields.real("e", epsilon);
}

std::vector<Operand> BatchNormalizationTraining::inputs() const {
  const Dims channels{input[1]};
  return {{.name = "input", .dims = input},
          {.name = "scale", .dims = channels, .role = Role::weights},
          {.name = "bias", .dims = channels, .role = Role::weights}};
}

Dims BatchNormalizationTraining::output() const {
  return {saturated_sum(element_count(input), saturated_product(2, input[1]))};
}

std::vector<Dims> BatchNormalizationTraining::results() const {
  return {input, {input[1]}, {input[1]}};
}

}  // namespace benanza
