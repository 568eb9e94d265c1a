#include "suites/verify/inputs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "suites/harness/primitive.h"
#include "suites/verify/operators.h"
#include "suites/verify/random.h"

namespace benanza::verify {
namespace {

/// The values that four random bits choose from.
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

/// Sixteen values for each of the palette's, up to a sixteenth nearer to 0.
std::array<float, 256> with_all_bits(const Palette& palette) {
  constexpr std::uint64_t seed = 2022;
  std::array<float, 256> values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double part = static_cast<double>(random_bits(seed, i) >> 11U) * 0x1p-53;
    values[i] = static_cast<float>(palette[i % palette.size()] * (1 - part / 16));
  }
  return values;
}

/// A few random bits choose every value: large layers have tens of millions of weights.
template <std::size_t size>
std::vector<float> fill(std::int64_t count, const std::array<float, size>& palette,
                        std::uint64_t seed) {
  constexpr std::size_t bits_per_value = std::bit_width(size - 1);
  constexpr std::size_t per_word = 64 / bits_per_value;
  std::vector<float> values(static_cast<std::size_t>(count));
  const auto fill_from = [&](std::size_t first, std::size_t length) {
    const std::uint64_t bits = random_bits(seed, first / per_word);
    for (std::size_t i = 0; i < length; ++i) {
      values[first + i] = palette[bits >> (bits_per_value * i) & (size - 1)];
    }
  };
  std::size_t first = 0;
  for (; first + per_word <= values.size(); first += per_word) fill_from(first, per_word);
  fill_from(first, values.size() - first);
  return values;
}

/// Exponent e such that sums of products of operands up to 2^e spread as widely as the epilogue's
/// function wants: their standard deviation is half its range, or up to four times as much.
double exponent_for(const Problem& problem, const Activation& function) {
  // Of the product of two values k / 8: the mean of k^2 is 25.5.
  constexpr double product_deviation = 25.5 / 64;
  const double deviation =
      product_deviation * std::sqrt(static_cast<double>(reduction_length(problem)));
  const double wanted = input_range(function) / 2;
  return std::ceil(std::log2(wanted / deviation) / 2);
}

/// Step of an operand's palette: its largest value, 8 steps, reaches the range the operator asks
/// for.
float step_for(const Problem& problem, Precision precision, std::size_t operand) {
  if (precision == Precision::int8) return 1;
  if (const auto& function = problem.epilogue.activation) {
    return static_cast<float>(std::exp2(exponent_for(problem, *function) - 3));
  }
  const double range =
      std::visit([&](const auto& shape) { return input_range(shape, operand); }, problem.shape);
  return static_cast<float>(std::exp2(std::ceil(std::log2(range)) - 3));
}

}  // namespace

std::vector<std::vector<float>> inputs_for(const Problem& problem, Precision precision,
                                           std::uint64_t seed) {
  const std::vector<Operand> operands = inputs(problem);
  const bool integers = precision == Precision::int8;
  const bool all_bits = precision == Precision::fp32 && is_product(problem);
  std::vector<std::vector<float>> values;
  for (std::size_t index = 0; index < operands.size(); ++index) {
    const bool added = index == bias_operand(problem) || index == residual_operand(problem);
    const float step = step_for(problem, precision, index);
    Palette palette = operands[index].domain == Domain::positive ? positive(step) : symmetric(step);
    if (integers && added) palette = symmetric(4 / harness::int8_scale(problem));
    if (integers && index > 0 && !added) palette = even(palette);
    const std::int64_t count = element_count(operands[index].dims);
    const std::uint64_t own_seed = random_bits(seed, index);
    values.push_back(all_bits ? fill(count, with_all_bits(palette), own_seed)
                              : fill(count, palette, own_seed));
  }
  return values;
}

}  // namespace benanza::verify
