#include "harness/reference/inputs.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "harness/primitive.h"
#include "harness/reference/operators.h"
#include "harness/reference/random.h"

namespace benanza {
namespace {

/// What four random bits become.
using Palette = std::array<float, 16>;

Palette symmetric(float step) {
  Palette palette;
  for (int i = 0; i < 8; ++i) {
    palette[static_cast<std::size_t>(i)] = step * static_cast<float>(i + 1);
    palette[static_cast<std::size_t>(i + 8)] = -step * static_cast<float>(i + 1);
  }
  return palette;
}

Palette positive(float step) {
  Palette palette = symmetric(step);
  for (float& value : palette) value = std::abs(value);
  return palette;
}

Palette even(Palette palette) {
  for (float& value : palette) value = 2 * std::copysign(std::ceil(std::abs(value) / 2), value);
  return palette;
}

std::vector<float> fill(std::int64_t count, const Palette& palette, std::uint64_t seed) {
  constexpr std::int64_t per_word = 16;
  std::vector<float> values(static_cast<std::size_t>(count));
  std::int64_t next = 0;
  for (std::uint64_t word = 0; next < count; ++word) {
    std::uint64_t bits = random_bits(seed, word);
    const std::int64_t end = std::min(count, next + per_word);
    for (; next < end; ++next) {
      values[static_cast<std::size_t>(next)] = palette[bits & 15U];
      bits >>= 4U;
    }
  }
  return values;
}

/// Step of the palette: its largest value, 8 steps, reaches the range the operator asks for.
float step_for(const Problem& problem, Precision precision) {
  if (precision == Precision::int8) return 1;
  const double range = std::visit(
      [](const auto& shape) { return reference_detail::input_range(shape); }, problem.shape);
  return static_cast<float>(std::exp2(std::ceil(std::log2(range)) - 3));
}

}  // namespace

std::vector<std::vector<float>> inputs_for(const Problem& problem, Precision precision,
                                           std::uint64_t seed) {
  const std::vector<Operand> operands = inputs(problem);
  const float step = step_for(problem, precision);
  const bool integers = precision == Precision::int8;
  std::vector<std::vector<float>> values;
  for (std::size_t index = 0; index < operands.size(); ++index) {
    const bool bias = problem.epilogue.bias && index + 1 == operands.size();
    Palette palette = operands[index].domain == Domain::positive ? positive(step) : symmetric(step);
    if (integers && bias) palette = symmetric(4 / int8_scale(problem));
    if (integers && index > 0 && !bias) palette = even(palette);
    values.push_back(fill(element_count(operands[index].dims), palette, random_bits(seed, index)));
  }
  return values;
}

}  // namespace benanza
