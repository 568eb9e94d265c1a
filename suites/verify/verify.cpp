#include "suites/verify/verify.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "suites/harness/int8_scale.h"
#include "suites/verify/comparison.h"
#include "suites/verify/element_arithmetic.h"
#include "suites/verify/inputs.h"
#include "suites/verify/operators.h"
#include "suites/verify/random.h"

namespace benanza::verify {
namespace {

constexpr std::uint64_t input_seed = 2020;
constexpr std::uint64_t sample_seed = 2021;

std::int64_t sample_count(const Problem& problem) {
  constexpr std::int64_t most_products = 5'000'000;
  return std::clamp<std::int64_t>(most_products / reduction_length(problem), 4, 200);
}

/// Coordinates inside `dims`. In every second sample, each axis is first, last (a quarter each) or
/// random, because padding acts at edges.
Dims random_coordinates(const Dims& dims, std::uint64_t counter) {
  Dims at(dims.size());
  const bool on_edge = counter % 2 == 1;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    const std::uint64_t bits = random_bits(sample_seed + counter, axis);
    const std::uint64_t place = bits & 3U;
    const auto anywhere =
        static_cast<std::int64_t>((bits >> 8U) % static_cast<std::uint64_t>(dims[axis]));
    at[axis] = on_edge && place == 0 ? 0 : on_edge && place == 1 ? dims[axis] - 1 : anywhere;
  }
  return at;
}

/// The elements to compare.
std::vector<Dims> chosen_places(const Problem& problem) {
  const Dims dims = view_of(problem).dims;
  const std::int64_t count = sample_count(problem);
  std::vector<Dims> all;
  const auto add = [&](const Dims& at) {
    Dims chosen =
        std::visit([&](const auto& shape) { return sampled_at(shape, at); }, problem.shape);
    if (std::find(all.begin(), all.end(), chosen) == all.end()) all.push_back(std::move(chosen));
  };
  Dims last = dims;
  for (std::int64_t& coordinate : last) --coordinate;
  add(Dims(dims.size(), 0));
  add(last);
  if (element_count(dims) <= count) {
    Dims at(dims.size(), 0);
    do add(at);
    while (advance(at, dims));
  } else {
    for (std::int64_t i = 2; i < count; ++i) {
      add(random_coordinates(dims, static_cast<std::uint64_t>(i)));
    }
  }
  return all;
}

std::vector<std::int64_t> positions(const Problem& problem, const std::vector<Dims>& all) {
  const Dims strides = view_of(problem).strides;
  std::vector<std::int64_t> places;
  for (const Dims& at : all) places.push_back(position(at, strides));
  return places;
}

/// Swaps the gradients of weights for those of data, and vice versa.
Problem other_gradients(const RecurrentGradient& gradient) {
  const bool of_data = gradient.of == RecurrentGradients::of_data;
  return {RecurrentGradient{gradient.forward,
                            of_data ? RecurrentGradients::of_weights : RecurrentGradients::of_data},
          {}};
}

}  // namespace

void VerificationCase::prepare(const Problem& problem, Precision precision) {
  OperandPool none(0);
  prepare(problem, precision, none, nullptr);
}

void VerificationCase::prepare(const Problem& problem, Precision precision, OperandPool& pool,
                               const std::vector<Sample>* known) {
  if (problem_ == problem && precision_ == precision) return;
  problem_.reset();  // A failure below must not leave a half-made case that looks ready.
  companion_.reset();
  operands_.clear();
  samples_.clear();
  Inputs inputs = inputs_for(problem, precision, input_seed, pool);
  operands_ = std::move(inputs.values);
  recipes_ = std::move(inputs.recipes);
  precision_ = precision;
  problem_ = problem;
  if (known != nullptr) {
    samples_ = *known;
  } else {
    make_samples();
  }
}

void VerificationCase::give_back(OperandPool& pool) {
  problem_.reset();
  for (std::size_t index = 0; index < recipes_.size(); ++index) {
    pool.put(std::move(recipes_[index]), std::move(operands_[index]));
  }
  operands_.clear();
  recipes_.clear();
}

std::vector<std::int64_t> VerificationCase::places() const {
  std::vector<std::int64_t> found;
  for (const Sample& sample : samples_) found.push_back(sample.flat_index);
  return found;
}

VerificationCase::Sample VerificationCase::sample(Dims at) const {
  return samples_at({std::move(at)}).front();
}

std::vector<VerificationCase::Sample> VerificationCase::samples_at(std::vector<Dims> all) const {
  const std::vector<std::int64_t> places = positions(*problem_, all);
  const std::vector<Element> elements =
      reference_elements(*problem_, operands_, places, precision_);
  return samples_of(std::move(all), places, elements.data());
}

std::vector<VerificationCase::Sample> VerificationCase::samples_of(
    std::vector<Dims> all, const std::vector<std::int64_t>& places, const Element* elements) const {
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Element expected = elements[i];
    if (precision_ == Precision::int8) {
      const double scale = harness::int8_scale(*problem_);
      expected.value = std::clamp(expected.value * scale, -128.0, 127.0);
      expected.magnitude *= scale;
      // Only recurrences store bytes that they use again.
      if (!std::holds_alternative<Recurrent>(problem_->shape)) expected.carried = 0;
    }
    if (precision_ != Precision::int8) expected.value = in_range(expected.value, precision_);
    samples.push_back({std::move(all[i]), places[i], expected});
  }
  return samples;
}

void VerificationCase::make_samples() {
  const auto* const gradient = std::get_if<RecurrentGradient>(&problem_->shape);
  if (gradient == nullptr || gradient->of == RecurrentGradients::of_both) {
    samples_ = samples_at(chosen_places(*problem_));
    return;
  }
  // Most of the work is the forward and backward pass, which the other gradients need too.
  const bool of_data = gradient->of == RecurrentGradients::of_data;
  const Problem both{RecurrentGradient{gradient->forward}, {}};
  const Problem data = of_data ? *problem_ : other_gradients(*gradient);
  const Problem weights = of_data ? other_gradients(*gradient) : *problem_;
  std::vector<Dims> in_data = chosen_places(data);
  std::vector<Dims> in_weights = chosen_places(weights);
  const std::vector<std::int64_t> data_places = positions(data, in_data);
  const std::vector<std::int64_t> weight_places = positions(weights, in_weights);
  std::vector<std::int64_t> places = data_places;
  for (const std::int64_t place : weight_places) {
    places.push_back(element_count(output(data)) + place);
  }
  const std::vector<Element> elements = reference_elements(both, operands_, places);
  auto of_data_samples = samples_of(std::move(in_data), data_places, elements.data());
  auto of_weight_samples =
      samples_of(std::move(in_weights), weight_places, elements.data() + data_places.size());
  if (!of_data) std::swap(of_data_samples, of_weight_samples);
  samples_ = std::move(of_data_samples);
  companion_ = Companion{other_gradients(*gradient), std::move(of_weight_samples)};
}

VerificationResult verify(harness::Primitive& primitive, const Problem& problem,
                          Precision precision, VerificationCase& cache,
                          const harness::Traits& traits) {
  cache.prepare(problem, precision);
  for (std::size_t index = 0; index < cache.operands().size(); ++index) {
    primitive.upload(index, cache.operands()[index]);
  }
  primitive.restore();
  primitive.poison_output();
  primitive.run();
  const std::string message = mistake_of(primitive, problem, precision, cache, traits);
  return {message.empty(), message};
}

}  // namespace benanza::verify
