#include "suites/tests/verify/reference_primitive.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "suites/harness/int8_scale.h"
#include "suites/verify/random.h"
#include "suites/verify/reference.h"

namespace benanza::verify {

float rounded_to_bf16(float value) {
  auto bits = std::bit_cast<std::uint32_t>(value);
  bits += 0x7FFFU + ((bits >> 16U) & 1U);
  return std::bit_cast<float>(bits & 0xFFFF0000U);
}

float rounded_to_bits(float value, int bits) {
  int exponent = 0;
  const float significand = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(significand, bits)), exponent - bits);
}

ReferencePrimitive::ReferencePrimitive(Problem problem, Precision precision)
    : result_(static_cast<std::size_t>(element_count(output(problem)))),
      problem_(std::move(problem)),
      precision_(precision),
      operands_(inputs(problem_).size()) {}

void ReferencePrimitive::upload(std::size_t index, std::span<const float> values) {
  operands_.at(index).assign(values.begin(), values.end());
}

void ReferencePrimitive::poison_output() {
  std::fill(result_.begin(), result_.end(),
            precision_ == Precision::int8 ? -128 : std::numeric_limits<float>::quiet_NaN());
}

float ReferencePrimitive::stored(double value) const {
  if (precision_ == Precision::int8) {
    const double scaled = value * harness::int8_scale(problem_);
    return static_cast<float>(std::nearbyint(std::clamp(scaled, -128.0, 127.0)));
  }
  const auto single = static_cast<float>(value);
  if (precision_ == Precision::fp16) return rounded_to_bits(single, 11);
  return precision_ == Precision::bf16 ? rounded_to_bf16(single) : single;
}

void ReferencePrimitive::run() {
  if (const auto* copy = std::get_if<Copy>(&problem_.shape)) {
    // Uses strides as a library does, unlike the reference, which searches for the source.
    for (std::int64_t i = 0; i < element_count(copy->dims); ++i) {
      std::int64_t rest = i;
      std::int64_t from = 0;
      std::int64_t to = 0;
      for (std::size_t axis = copy->dims.size(); axis-- > 0;) {
        const std::int64_t coordinate = rest % copy->dims[axis];
        rest /= copy->dims[axis];
        from += coordinate * copy->from[axis];
        to += coordinate * copy->to[axis];
      }
      result_[static_cast<std::size_t>(to)] = operands_[0][static_cast<std::size_t>(from)];
    }
    return;
  }
  if (const auto* dropout = std::get_if<Dropout>(&problem_.shape)) {
    for (std::size_t i = 0; i < result_.size(); ++i) {
      const double draw = static_cast<double>(random_bits(7, i) >> 11U) * 0x1p-53;
      const double kept = draw < dropout->ratio ? 0 : 1 / (1.0 - dropout->ratio);
      result_[i] = stored(operands_[0][i] * kept);
    }
    return;
  }
  std::vector<std::int64_t> all(result_.size());
  std::iota(all.begin(), all.end(), 0);
  const std::vector<Element> elements = reference_elements(problem_, operands_, all, precision_);
  std::transform(elements.begin(), elements.end(), result_.begin(),
                 [this](const Element& element) { return stored(element.value); });
}

}  // namespace benanza::verify
