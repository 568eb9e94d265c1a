#include <algorithm>
#include <cmath>

#include "suites/verify/element_arithmetic.h"
#include "suites/verify/operators.h"

namespace benanza::verify {

/// Scores reach a cap, and sinks are as large as all keys that a query sees together: larger ones
/// would leave weights that fp16 stores with few digits.
double input_range(const Attention& shape, std::size_t operand) {
  const double range = input_range(shape);
  if (operand == 0) return std::max(range, static_cast<double>(shape.soft_cap) / 4);
  const bool is_sink = shape.sink && operand + 1 == shape.inputs().size();
  if (!is_sink) return range;
  const auto [begin, end] = shape.visible_keys(shape.queries - 1);
  return std::max(range, std::log(static_cast<double>(end - begin)));
}

Element element(const Attention& shape, Operands operands, const Dims& at) {
  const std::int64_t head = at[1] / (shape.heads / shape.kv_heads);
  const auto row = [](const std::vector<float>& values, std::int64_t index, std::int64_t size) {
    return values.begin() + index * size;
  };
  const auto q =
      row(operands[0], (at[0] * shape.heads + at[1]) * shape.queries + at[2], shape.size);
  const std::int64_t first = (at[0] * shape.kv_heads + head) * shape.keys;
  const auto [begin, end] = shape.visible_keys(at[2]);
  std::vector<double> scores;
  for (std::int64_t key = begin; key < end; ++key) {
    const auto k = row(operands[1], first + key, shape.size);
    double score = 0;
    for (std::int64_t i = 0; i < shape.size; ++i) {
      score += static_cast<double>(q[i]) * static_cast<double>(k[i]);
    }
    score *= static_cast<double>(shape.scale);
    if (shape.soft_cap > 0) {
      const auto cap = static_cast<double>(shape.soft_cap);
      score = cap * std::tanh(score / cap);
    }
    if (!shape.mask.empty()) {
      const std::int64_t place = ravel_broadcast({at[0], at[1], at[2], key}, shape.mask);
      score += static_cast<double>(operands[3][static_cast<std::size_t>(place)]);
    }
    scores.push_back(score);
  }
  if (scores.empty()) return {};
  double largest = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  if (shape.sink) {
    const auto sink = static_cast<double>(operands.back()[static_cast<std::size_t>(at[1])]);
    largest = std::max(largest, sink);
    sum = std::exp(sink - largest);
  }
  double squares = 0;
  Element result;
  for (std::int64_t key = begin; key < end; ++key) {
    const double weight = std::exp(scores[static_cast<std::size_t>(key - begin)] - largest);
    const double value = row(operands[2], first + key, shape.value_size)[at[3]];
    sum += weight;
    result.value += weight * value;
    result.magnitude += weight * std::abs(value);
    squares += weight * weight * value * value;
  }
  // The weights are stored in the precision of the values before the second product.
  return {result.value / sum, result.magnitude / sum, std::sqrt(squares) / sum};
}

}  // namespace benanza::verify
