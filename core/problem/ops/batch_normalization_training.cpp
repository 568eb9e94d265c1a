#include "core/problem/ops/batch_normalization_training.h"

namespace benanza {
namespace {

template <class Shape>
Shape read_shape(KeyReader& reader) {
  Shape shape;
  shape.input = reader.dims("");
  if (shape.input.size() < 2) reader.fail("an input with a channel axis");
  shape.epsilon = reader.real("e");
  return shape;
}

/// A tensor like the input plus two values per channel.
Dims all_results(const Dims& input) {
  return {saturated_sum(element_count(input), saturated_product(2, input[1]))};
}

}  // namespace

BatchNormalizationTraining BatchNormalizationTraining::read(KeyReader& reader) {
  return read_shape<BatchNormalizationTraining>(reader);
}

std::vector<Operand> BatchNormalizationTraining::inputs() const {
  const Dims channels{input[1]};
  return {{.name = "input", .dims = input},
          {.name = "scale", .dims = channels, .role = Role::weights},
          {.name = "bias", .dims = channels, .role = Role::weights}};
}

Dims BatchNormalizationTraining::output() const { return all_results(input); }

std::vector<Dims> BatchNormalizationTraining::results() const {
  return {input, {input[1]}, {input[1]}};
}

BatchNormalizationGradient BatchNormalizationGradient::read(KeyReader& reader) {
  return read_shape<BatchNormalizationGradient>(reader);
}

std::vector<Operand> BatchNormalizationGradient::inputs() const {
  const Dims channels{input[1]};
  return {{.name = "output gradient", .dims = input},
          {.name = "input", .dims = input},
          {.name = "scale", .dims = channels, .role = Role::weights},
          {.name = "mean", .dims = channels},
          {.name = "variance", .dims = channels, .domain = Domain::positive}};
}

Dims BatchNormalizationGradient::output() const { return all_results(input); }

std::vector<Dims> BatchNormalizationGradient::results() const {
  return {input, {input[1]}, {input[1]}};
}

}  // namespace benanza
