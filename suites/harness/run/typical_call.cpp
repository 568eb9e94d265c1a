#include "suites/harness/run/typical_call.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace benanza::harness {
namespace {

constexpr double least = 0.125;
constexpr double most = 8;

/// The operand in which the result is linear: the weights of a product.
std::optional<std::size_t> scalable_operand(const Variant& variant) {
  const Problem& problem = variant.problem;
  const bool is_linear = std::holds_alternative<Convolution>(problem.shape) ||
                         std::holds_alternative<Deconvolution>(problem.shape) ||
                         std::holds_alternative<Gemm>(problem.shape);
  if (!is_linear || variant.precision == Precision::int8) return std::nullopt;
  const std::vector<Operand> operands = inputs(problem);
  for (std::size_t index = 0; index < operands.size(); ++index) {
    if (operands[index].role == Role::weights) return index;
  }
  return std::nullopt;
}

/// A value in [0, 1) for every place.
float part_of(std::size_t place) {
  // The fractional parts of multiples of the golden ratio are spread evenly.
  constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15U;
  return static_cast<float>((place + 1) * golden_ratio >> 40U) * 0x1p-24F;
}

}  // namespace

TypicalCall::TypicalCall(std::shared_ptr<Primitive> call, const Variant& variant)
    : call_(std::move(call)),
      operands_(inputs(variant.problem)),
      has_short_values_(variant.precision != Precision::int8),
      results_(element_count(output(variant.problem))),
      weights_(scalable_operand(variant)) {}

void TypicalCall::upload(std::size_t index, std::span<const float> values) {
  if (has_short_values_ || index == weights_) values_[index].assign(values.begin(), values.end());
  call_->upload(index, values);
}

void TypicalCall::use_all_bits() {
  if (!std::exchange(has_short_values_, false)) return;
  std::map<std::size_t, std::vector<float>> weights;
  for (auto& [index, values] : values_) {
    if (operands_.at(index).domain == Domain::truth) continue;
    for (std::size_t place = 0; place < values.size(); ++place) {
      values[place] *= 1 - part_of(place) / 16;
    }
    call_->upload(index, values);
    if (index == weights_) weights.emplace(index, std::move(values));
  }
  values_ = std::move(weights);
}

double TypicalCall::root_mean_square() {
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

bool TypicalCall::scale() {
  constexpr int most_attempts = 4;
  const auto weights = weights_ ? values_.find(*weights_) : values_.end();
  for (int attempt = 0;; ++attempt) {
    call_->run();
    const double found = root_mean_square();
    const bool is_usual = found >= least && found <= most;
    // Nothing would become of a result that is zero.
    if (is_usual || weights == values_.end() || found == 0 || attempt == most_attempts) {
      return std::isfinite(found);
    }
    const double factor =
        std::isfinite(found) ? std::exp2(-std::round(std::log2(found))) : std::exp2(-8);
    for (float& value : weights->second) value *= static_cast<float>(factor);
    call_->upload(*weights_, weights->second);
  }
}

}  // namespace benanza::harness
