#include "core/problem/ops/attention_gradient.h"

#include <algorithm>

namespace benanza {

std::vector<Operand> AttentionGradient::inputs() const {
  const std::vector<Operand> of_forward = forward.inputs();
  std::vector<Operand> operands{{.name = "output gradient", .dims = forward.output()}};
  operands.insert(operands.end(), of_forward.begin(), of_forward.begin() + 3);
  operands.push_back({.name = "result", .dims = forward.output()});
  operands.push_back(
      {.name = "logarithms", .dims = {forward.batch, forward.heads, forward.queries, 1}});
  operands.insert(operands.end(), of_forward.begin() + 3, of_forward.end());
  return operands;
}

std::vector<Dims> AttentionGradient::results() const {
  const std::vector<Operand> of_forward = forward.inputs();
  return {of_forward[0].dims, of_forward[1].dims, of_forward[2].dims};
}

Dims AttentionGradient::output() const {
  std::int64_t total = 0;
  for (const Dims& dims : results()) total += element_count(dims);
  return {total};
}

double AttentionGradient::flops() const {
  const double scores = real_count({forward.batch, forward.heads, forward.queries, forward.keys});
  return product_flops() + 4 * scores;
}

std::int64_t AttentionGradient::reduction_length() const {
  return std::max(forward.keys, forward.queries * (forward.heads / forward.kv_heads));
}

}  // namespace benanza
