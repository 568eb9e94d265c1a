#include "core/problem/ops/pooling_gradient.h"

namespace benanza {

std::vector<Operand> PoolingGradient::inputs() const {
  std::vector<Operand> operands{{.name = "output gradient", .dims = forward.output()}};
  if (forward.mode == PoolingMode::max) {
    operands.push_back({.name = "input", .dims = forward.input});
  }
  return operands;
}

double PoolingGradient::flops() const {
  if (forward.mode != PoolingMode::max) return forward.flops();
  return static_cast<double>(element_count(forward.output()));
}

}  // namespace benanza
