#include "core/problem/ops/layer_normalization_gradient.h"

#include <algorithm>

namespace benanza {

std::vector<Operand> LayerNormalizationGradient::inputs() const {
  const Dims rows{forward.rows};
  std::vector<Operand> operands{{.name = "output gradient", .dims = forward.output()},
                                {.name = "input", .dims = forward.output()}};
  if (forward.scale) {
    operands.push_back({.name = "scale", .dims = {forward.length}, .role = Role::weights});
  }
  if (!forward.root_mean_square) operands.push_back({.name = "mean", .dims = rows});
  operands.push_back({.name = "variance", .dims = rows, .domain = Domain::positive});
  return operands;
}

Dims LayerNormalizationGradient::output() const {
  const std::int64_t vectors = std::int64_t{forward.scale} + std::int64_t{forward.bias};
  return {saturated_product(saturated_sum(forward.rows, vectors), forward.length)};
}

std::vector<Dims> LayerNormalizationGradient::results() const {
  std::vector<Dims> parts{forward.output()};
  if (forward.scale) parts.push_back({forward.length});
  if (forward.bias) parts.push_back({forward.length});
  return parts;
}

double LayerNormalizationGradient::flops() const {
  const double each = 9 + (forward.scale ? 3 : 0) + (forward.bias ? 1 : 0);
  return each * static_cast<double>(element_count(forward.output()));
}

std::int64_t LayerNormalizationGradient::reduction_length() const {
  return forward.scale || forward.bias ? std::max(forward.rows, forward.length) : forward.length;
}

}  // namespace benanza
