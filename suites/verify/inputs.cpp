#include "suites/verify/inputs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

#include "suites/harness/conditions/data_kind.h"
#include "suites/harness/each_group.h"
#include "suites/harness/int8_scale.h"
#include "suites/harness/packed_values.h"
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

Palette truth() {
  Palette palette;
  for (std::size_t i = 0; i < palette.size(); ++i) palette[i] = i % 2 == 0 ? 0.0F : 1.0F;
  return palette;
}

/// From 0 to 255: signed bytes cannot hold half of them.
Palette unsigned_bytes() {
  Palette palette;
  for (std::size_t i = 0; i < palette.size(); ++i) palette[i] = 17 * static_cast<float>(i);
  return palette;
}

Palette even(Palette palette) {
  for (float& value : palette) value = 2 * std::copysign(std::ceil(std::abs(value) / 2), value);
  return palette;
}

/// Sixteen values for each of the palette's, up to a sixteenth closer to 0.
std::array<float, 256> with_all_bits(const Palette& palette) {
  constexpr std::uint64_t seed = 2022;
  std::array<float, 256> values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double part = static_cast<double>(random_bits(seed, i) >> 11U) * 0x1p-53;
    values[i] = static_cast<float>(palette[i % palette.size()] * (1 - part / 16));
  }
  return values;
}

/// Within what packed weights hold.
Palette within(Palette palette, float step, const PackedWeights& packed) {
  const auto [least, most] = harness::held_range(packed);
  for (float& value : palette) {
    if (least == 0) value = std::abs(value);
    value = std::clamp(value, least * step, most * step);
  }
  return palette;
}

/// A product of matrices, or that of a group.
std::optional<Gemm> product_with_columns(const Shape& shape) {
  if (const auto* const gemm = std::get_if<Gemm>(&shape)) return *gemm;
  const auto* const grouped = std::get_if<GroupedGemm>(&shape);
  return grouped == nullptr ? std::nullopt : std::optional(harness::product_of_group(*grouped, 1));
}

/// Calls work(begin, end) on parts of [0, count), on all CPUs if there are many elements in all:
/// large layers have hundreds of millions of weights.
template <class Work>
void in_parts(std::size_t count, std::size_t elements, const Work& work) {
  constexpr std::size_t alone = 1 << 22;
  const std::size_t parts =
      elements <= alone ? 1 : std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::jthread> workers;
  for (std::size_t part = 0; part + 1 < parts; ++part) {
    workers.emplace_back(work, count * part / parts, count * (part + 1) / parts);
  }
  work(count * (parts - 1) / parts, count);
}

/// Halves every other block's, or column's, weights, so that its scale differs from its
/// neighbours'.
void vary_scales(const Problem& problem, std::vector<float>& weights) {
  const std::optional<Gemm> gemm = product_with_columns(problem.shape);
  if (!gemm || harness::has_one_scale(*problem.packed)) return;
  const auto n = static_cast<std::size_t>(gemm->n);
  const auto k = static_cast<std::size_t>(gemm->k);
  const auto block =
      problem.packed->block > 0 ? static_cast<std::size_t>(problem.packed->block) : k;
  const std::size_t length = gemm->transpose_b ? k : n;
  const auto halve = [&](std::size_t begin, std::size_t end, std::size_t step) {
    for (; begin < end; begin += step) weights[begin] /= 2;
  };
  const auto vary_column = [&](std::size_t row) {
    for (std::size_t first = row % n % 2 == 0 ? block : 0; first < k; first += 2 * block) {
      halve(row * k + first, row * k + std::min(first + block, k), 1);
    }
  };
  const auto vary_position = [&](std::size_t row) {
    const bool is_odd = row % k / block % 2 == 1;
    halve(row * n + (is_odd ? 0 : 1), (row + 1) * n, 2);
  };
  in_parts(weights.size() / length, weights.size(), [&](std::size_t row, std::size_t end) {
    for (; row < end; ++row) gemm->transpose_b ? vary_column(row) : vary_position(row);
  });
}

/// A few random bits choose each value.
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
  const std::size_t words = (values.size() + per_word - 1) / per_word;
  in_parts(words, values.size(), [&](std::size_t word, std::size_t end) {
    for (; word < end; ++word) {
      const std::size_t first = word * per_word;
      fill_from(first, std::min(per_word, values.size() - first));
    }
  });
  return values;
}

/// An exponent e such that sums of products of operands up to 2^e have a standard deviation of half
/// the range of the epilogue's function, or up to four times as much.
double exponent_for(const Problem& problem, const Activation& function) {
  // The product of two values k / 8, because the mean of k^2 is 25.5.
  constexpr double product_deviation = 25.5 / 64;
  const double deviation =
      product_deviation * std::sqrt(static_cast<double>(reduction_length(problem)));
  const double wanted = input_range(function) / 2;
  return std::ceil(std::log2(wanted / deviation) / 2);
}

/// The magnitude that a step's x must reach; 1 for steps that show at any magnitude.
double range_of(const Activation& function) {
  switch (function.kind) {
    case ActivationKind::relu:
    case ActivationKind::leaky_relu:
    case ActivationKind::linear:
    case ActivationKind::abs:
      return 1;
    default:
      return input_range(function);
  }
}

/// The function that determines the spread of sums of products; null if there is none.
const Activation* shaping_function(const Epilogue& epilogue) {
  if (epilogue.activation) return &*epilogue.activation;
  for (const Step& step : epilogue.steps) {
    const auto* function = std::get_if<Activation>(&step);
    if (function != nullptr && range_of(*function) > 1) return function;
  }
  return nullptr;
}

/// True for sums of reduction_length() products, which can take a bias.
bool is_sum_of_products(const Problem& problem) {
  return std::visit(
      [](const auto& shape) {
        return requires { shape.bias_length(); };
      },
      problem.shape);
}

/// The largest magnitude that the steps need; 0 if no step is a function.
double range_for_steps(const Problem& problem) {
  double range = 0;
  for (const Step& step : problem.epilogue.steps) {
    const auto* function = std::get_if<Activation>(&step);
    if (function != nullptr) range = std::max(range, range_of(*function));
  }
  return range;
}

/// True if a step is defined for positive x only; all operands are then positive.
bool wants_positive(const Problem& problem) {
  const auto restricted = [](const Step& step) {
    if (const auto* combine = std::get_if<Combine>(&step)) {
      return combine->kind == CombineKind::div && combine->reversed;
    }
    const auto& function = std::get<Activation>(step);
    return Activation{.input = {1}, .kind = function.kind, .alpha = function.alpha}
                   .inputs()[0]
                   .domain == Domain::positive ||
           (function.kind == ActivationKind::pow && function.alpha < 0);
  };
  const auto& steps = problem.epilogue.steps;
  return std::any_of(steps.begin(), steps.end(), restricted);
}

/// The step of an operand's palette. Its largest value, 8 steps, reaches the range that the
/// operator needs.
float step_for(const Problem& problem, Precision precision, std::size_t operand) {
  if (precision == Precision::int8) {
    const auto* const recurrence = std::get_if<Recurrent>(&problem.shape);
    if (recurrence == nullptr) return 1;
    return static_cast<float>(harness::int8_least_value(*recurrence, operand));
  }
  if (operand >= first_step_operand(problem)) return 0x1p-3F;
  const auto* function = shaping_function(problem.epilogue);
  const bool sums = is_sum_of_products(problem);
  if (function != nullptr && sums) {
    return static_cast<float>(std::exp2(exponent_for(problem, *function) - 3));
  }
  double range =
      std::visit([&](const auto& shape) { return input_range(shape, operand); }, problem.shape);
  if (!sums) range = std::max(range, range_for_steps(problem));
  return static_cast<float>(std::exp2(std::ceil(std::log2(range)) - 3));
}

/// Whether a step adds or subtracts the operand.
bool is_term_of_step(const Problem& problem, std::size_t operand) {
  std::size_t next = first_step_operand(problem);
  for (const Step& step : problem.epilogue.steps) {
    const auto* const combine = std::get_if<Combine>(&step);
    if (combine == nullptr || next++ != operand) continue;
    return combine->kind == CombineKind::add || combine->kind == CombineKind::sub;
  }
  return false;
}

}  // namespace

std::vector<std::vector<float>> inputs_for(const Problem& problem, Precision precision,
                                           std::uint64_t seed) {
  OperandPool none(0);
  return inputs_for(problem, precision, seed, none).values;
}

Inputs inputs_for(const Problem& problem, Precision precision, std::uint64_t seed,
                  OperandPool& pool) {
  const std::vector<Operand> operands = inputs(problem);
  const bool integers = precision == Precision::int8;
  const bool all_bits = harness::has_all_bits(problem, precision);
  const bool all_positive = wants_positive(problem);
  const bool unchanged =
      !problem.packed &&
      std::visit(
          []<class Own>(const Own& shape) {
            std::vector<std::vector<float>> none;
            return std::is_same_v<decltype(adjust_inputs(shape, none)), Unchanged>;
          },
          problem.shape);
  Inputs all;
  for (std::size_t index = 0; index < operands.size(); ++index) {
    const bool added = index == bias_operand(problem) || index == residual_operand(problem) ||
                       is_term_of_step(problem, index);
    const float step = step_for(problem, precision, index);
    const bool is_positive = all_positive || operands[index].domain == Domain::positive;
    Palette palette = is_positive ? positive(step) : symmetric(step);
    if (integers && added)
      palette = symmetric(harness::int8_addend_step(problem) / harness::int8_scale(problem));
    if (integers && index > 0 && !added) palette = even(palette);
    if (operands[index].domain == Domain::truth) palette = truth();
    if (operands[index].domain == Domain::unsigned_bytes) palette = unsigned_bytes();
    const bool is_packed = problem.packed && index == harness::packed_operand;
    if (is_packed) palette = within(palette, step, *problem.packed);
    Recipe recipe{.count = element_count(operands[index].dims), .seed = random_bits(seed, index)};
    const auto make = [&](const auto& values) {
      recipe.palette.assign(values.begin(), values.end());
      if (unchanged) {
        if (auto known = pool.take(recipe)) return std::move(*known);
      }
      return fill(recipe.count, values, recipe.seed);
    };
    const bool is_rounded = !all_bits || is_packed;
    all.values.push_back(is_rounded ? make(palette) : make(with_all_bits(palette)));
    if (is_packed) vary_scales(problem, all.values.back());
    if (unchanged) all.recipes.push_back(std::move(recipe));
  }
  std::visit([&](const auto& shape) { adjust_inputs(shape, all.values); }, problem.shape);
  return all;
}

}  // namespace benanza::verify
