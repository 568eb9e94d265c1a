#include "core/problem/ops/batch_normalization_gradient.h"

namespace benanza {

BatchNormalizationGradient BatchNormalizationGradient::read(KeyReader& reader) {
  BatchNormalizationGradient shape;
  shape.input = reader.dims("");
  if (shape.input.size() < 2) reader.fail("an input with a channel axis");
  shape.epsilon = reader.real("e");
  return shape;
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
