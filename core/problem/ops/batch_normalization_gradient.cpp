#include "core/problem/ops/batch_normalization_gradient.h"

namespace benanza {

void BatchNormalizationGradient::map(KeyFields& fields) {
  fields.dims("", input).require(input.size() >= 2, "an input with a channel axis");
  fields.real("e", epsilon);
}

std::vector<Operand> BatchNormalizationGradient::inputs() const {
  const Dims channels{input[1]};
  return {{.name = "output gradient", .dims = input},
          {.name = "input", .dims = input},
          {.name = "scale", .dims = channels, .role = Role::weights},
          {.name = "mean", .dims = channels},
          {.name = "variance", .dims = channels, .domain = Domain::positive}};
}

Dims BatchNormalizationGradient::output() const {
  return {saturated_sum(element_count(input), saturated_product(2, input[1]))};
}

std::vector<Dims> BatchNormalizationGradient::results() const {
  return {input, {input[1]}, {input[1]}};
}

}  // namespace benanza
