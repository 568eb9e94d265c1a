#include "suites/harness/int8_recurrence.h"

#include <algorithm>
#include <cmath>

namespace benanza::harness {
namespace {

/// The least power of two from `value` on.
double power_from(double value) { return std::exp2(std::ceil(std::log2(value))); }

}  // namespace

float int8_unit_of_weights(const Recurrent& shape) {
  const double most = 0.5 / std::sqrt(static_cast<double>(shape.hidden));
  return static_cast<float>(power_from(most) / 16);
}

std::int64_t int8_least_value(const Recurrent& shape, std::size_t operand) {
  constexpr std::size_t weights = 1;
  constexpr std::size_t recurrence = 2;
  if (operand == recurrence) return 2;
  if (operand == weights) {
    const double most = power_from(1 / std::sqrt(static_cast<double>(shape.input_size)));
    return std::clamp<std::int64_t>(std::llround(most / int8_unit_of_weights(shape) / 8), 2, 8);
  }
  const bool is_bias = shape.bias && operand == recurrence + 1;
  return is_bias ? 1 : static_cast<std::int64_t>(int8_steps_of_data) / 8;
}

}  // namespace benanza::harness
