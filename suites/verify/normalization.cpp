#include <cmath>

#include "suites/verify/operators.h"

namespace benanza::verify {
namespace {

/// Normalizes one element by the statistics of its `row`.
Element normalized(std::span<const float> row, double x, float epsilon, bool root_mean_square) {
  const auto length = static_cast<double>(row.size());
  double mean = 0;
  if (!root_mean_square) {
    for (const float value : row) mean += value;
    mean /= length;
  }
  double variance = 0;
  for (const float value : row) variance += (value - mean) * (value - mean);
  const double deviation = std::sqrt(variance / length + static_cast<double>(epsilon));
  return {(x - mean) / deviation, (std::abs(x) + std::abs(mean)) / deviation};
}

Element scaled(Element element, double scale) {
  return {element.value * scale, element.magnitude * std::abs(scale)};
}

Element shifted(Element element, double bias) {
  return {element.value + bias, element.magnitude + std::abs(bias)};
}

}  // namespace

Element element(const LayerNormalization& shape, Operands operands, const Dims& at) {
  const auto length = static_cast<std::size_t>(shape.length);
  const std::span<const float> row(operands[0].data() + at[0] * shape.length, length);
  const auto place = static_cast<std::size_t>(at[1]);
  Element result = normalized(row, row[place], shape.epsilon, shape.root_mean_square);
  if (shape.scale) result = scaled(result, operands[1][place]);
  if (shape.bias) result = shifted(result, operands[shape.scale ? 2 : 1][place]);
  return result;
}

Element element(const InstanceNormalization& shape, Operands operands, const Dims& at) {
  const auto plane = static_cast<std::size_t>(shape.reduction_length());
  const auto channel = static_cast<std::size_t>(at[1]);
  const auto first = static_cast<std::size_t>(at[0] * shape.input[1] + at[1]) * plane;
  std::size_t offset = 0;
  for (std::size_t axis = 2; axis < at.size(); ++axis) {
    offset =
        offset * static_cast<std::size_t>(shape.input[axis]) + static_cast<std::size_t>(at[axis]);
  }
  const std::span<const float> row(operands[0].data() + first, plane);
  const Element result = normalized(row, row[offset], shape.epsilon, false);
  if (!shape.affine) return result;
  return shifted(scaled(result, operands[1][channel]), operands[2][channel]);
}

}  // namespace benanza::verify
