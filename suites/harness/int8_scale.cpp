#include "suites/harness/int8_scale.h"

#include <algorithm>
#include <cmath>

#include "suites/harness/primitive.h"

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

namespace {

/// Number of products of random inputs that are summed into one element, for which int8 results
/// must be scaled down. 0 if nothing is summed or if the sum is divided by its length.
template <class Shape>
std::int64_t summed_products(const Shape&) {
  return 0;
}
std::int64_t summed_products(const Convolution& shape) { return shape.reduction_length(); }
std::int64_t summed_products(const Deconvolution& shape) { return shape.reduction_length(); }
std::int64_t summed_products(const Gemm& shape) { return shape.reduction_length(); }
std::int64_t summed_products(const GroupedGemm& shape) { return shape.reduction_length(); }
std::int64_t summed_products(const Reduction& shape) {
  using enum ReductionKind;
  const bool sums = shape.kind == sum || shape.kind == l1 || shape.kind == sum_square;
  return sums ? shape.reduction_length() : 0;
}

bool is_factor(const Step& step) {
  const auto* const combine = std::get_if<Combine>(&step);
  return combine != nullptr && combine->kind == CombineKind::mul;
}

/// The tensor is stored scaled.
bool is_term(const Step& step) {
  const auto* const combine = std::get_if<Combine>(&step);
  return combine != nullptr &&
         (combine->kind == CombineKind::add || combine->kind == CombineKind::sub);
}

bool has_factor(const Epilogue& epilogue) { return std::ranges::any_of(epilogue.steps, is_factor); }

}  // namespace

bool steps_keep_scale(const Epilogue& epilogue) {
  const auto is_linear = [](const Step& step) {
    const auto* const function = std::get_if<Activation>(&step);
    return function != nullptr &&
           (function->kind == ActivationKind::relu || function->kind == ActivationKind::leaky_relu);
  };
  return std::ranges::count_if(epilogue.steps, is_factor) <= 1 &&
         std::ranges::all_of(epilogue.steps, [&](const Step& step) {
           return is_factor(step) || is_term(step) || is_linear(step);
         });
}

float int8_addend_step(const Problem& problem) { return has_factor(problem.epilogue) ? 1 : 4; }

float int8_scale(const Problem& problem) {
  if (std::holds_alternative<Recurrent>(problem.shape)) return int8_steps_of_data;
  const std::int64_t length =
      std::visit([](const auto& shape) { return summed_products(shape); }, problem.shape);
  if (length == 0) return 1;
  // Standard deviation of a product of the integers that verification draws: 5.05 * 5.48, with
  // unsigned data 149.7 * 5.48. That of a sum grows with the square root of its length; a third of
  // the 8-bit range leaves room for the bias and saturates rarely.
  const double product_deviation = has_unsigned_data(problem) ? 820 : 27.7;
  constexpr double wanted_deviation = 40;
  constexpr double factor_deviation = 5.48;
  double scale = wanted_deviation / (product_deviation * std::sqrt(length));
  if (has_factor(problem.epilogue)) scale /= factor_deviation;
  return static_cast<float>(std::exp2(std::min(0.0, std::floor(std::log2(scale)))));
}

}  // namespace benanza::harness
