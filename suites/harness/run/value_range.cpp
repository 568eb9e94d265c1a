#include "suites/harness/run/value_range.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace benanza::harness {
namespace {

constexpr double least = 0.125;
constexpr double most = 8;

/// The operand in which the result is linear: the weights of a product.
std::optional<std::size_t> scalable_operand(const Variant& variant) {
  const Problem& problem = variant.problem;
  const bool is_product = std::holds_alternative<Convolution>(problem.shape) ||
                          std::holds_alternative<Deconvolution>(problem.shape) ||
                          std::holds_alternative<Gemm>(problem.shape);
  if (!is_product || variant.precision == Precision::int8) return std::nullopt;
  const std::vector<Operand> operands = inputs(problem);
  for (std::size_t index = 0; index < operands.size(); ++index) {
    if (operands[index].role == Role::weights) return index;
  }
  return std::nullopt;
}

}  // namespace

ScalableCall::ScalableCall(std::unique_ptr<Primitive> call, const Variant& variant)
    : call_(std::move(call)),
      results_(element_count(output(variant.problem))),
      weights_(scalable_operand(variant)) {}

void ScalableCall::upload(std::size_t index, std::span<const float> values) {
  if (index == weights_) values_.assign(values.begin(), values.end());
  call_->upload(index, values);
}

double ScalableCall::root_mean_square() {
  constexpr std::int64_t most_places = 64;
  std::vector<std::int64_t> places;
  const std::int64_t step = std::max<std::int64_t>(results_ / most_places, 1);
  for (std::int64_t place = 0; place < results_; place += step) places.push_back(place);
  const auto glimpse = call_->glimpse(places);
  std::vector<float> all;
  if (!glimpse) all = call_->download();
  double sum = 0;
  for (std::size_t at = 0; at < places.size(); ++at) {
    const double value =
        glimpse ? glimpse->values[at] : all.at(static_cast<std::size_t>(places[at]));
    sum += value * value;
  }
  return std::sqrt(sum / static_cast<double>(places.size()));
}

bool ScalableCall::scale() {
  constexpr int most_attempts = 4;
  for (int attempt = 0;; ++attempt) {
    call_->run();
    const double found = root_mean_square();
    const bool is_usual = found >= least && found <= most;
    // Nothing would become of a result that is zero.
    if (is_usual || values_.empty() || found == 0 || attempt == most_attempts) {
      return std::isfinite(found);
    }
    const double factor =
        std::isfinite(found) ? std::exp2(-std::round(std::log2(found))) : std::exp2(-8);
    for (float& value : values_) value *= static_cast<float>(factor);
    call_->upload(*weights_, values_);
  }
}

}  // namespace benanza::harness
