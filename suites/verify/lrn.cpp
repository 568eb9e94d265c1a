#include <algorithm>
#include <cmath>
#include <utility>

#include "suites/verify/element_arithmetic.h"
#include "suites/verify/operators.h"

namespace benanza::verify {

namespace {

/// The channels of one pixel.
class Pixel {
 public:
  Pixel(const Lrn& shape, const std::vector<float>& values, Dims at)
      : shape_(shape), values_(values), at_(std::move(at)) {}

  double value(std::int64_t channel) {
    at_[1] = channel;
    return values_[static_cast<std::size_t>(ravel_broadcast(at_, shape_.input))];
  }
  std::int64_t first_neighbour(std::int64_t channel) const {
    return std::max<std::int64_t>(0, channel - (shape_.size - 1) / 2);
  }
  std::int64_t last_neighbour(std::int64_t channel) const {
    return std::min(shape_.input[1] - 1, channel + shape_.size / 2);
  }
  /// k + alpha / size * sum of the neighbours' squares.
  double base(std::int64_t channel) {
    double squares = 0;
    const std::int64_t last = last_neighbour(channel);
    for (std::int64_t c = first_neighbour(channel); c <= last; ++c) squares += value(c) * value(c);
    return shape_.k + shape_.alpha / static_cast<double>(shape_.size) * squares;
  }

 private:
  const Lrn& shape_;
  const std::vector<float>& values_;
  Dims at_;
};

}  // namespace

Element element(const Lrn& shape, Operands operands, const Dims& at) {
  Pixel pixel(shape, operands[0], at);
  const double base = pixel.base(at[1]);
  const double value = pixel.value(at[1]) / std::pow(base, static_cast<double>(shape.beta));
  return {value, std::abs(value)};
}

Element element(const LrnGradient& shape, Operands operands, const Dims& at) {
  const Lrn& forward = shape.forward;
  Pixel gradient(forward, operands[0], at);
  Pixel input(forward, operands[1], at);
  const double beta = forward.beta;
  Element sum;
  for (std::int64_t channel = 0; channel < forward.input[1]; ++channel) {
    if (at[1] < input.first_neighbour(channel) || at[1] > input.last_neighbour(channel)) continue;
    const double term =
        gradient.value(channel) * input.value(channel) * std::pow(input.base(channel), -beta - 1);
    sum.value += term;
    sum.magnitude += std::abs(term);
  }
  const double own = gradient.value(at[1]) * std::pow(input.base(at[1]), -beta);
  const double factor = 2 * static_cast<double>(forward.alpha) * beta /
                        static_cast<double>(forward.size) * input.value(at[1]);
  return {own - factor * sum.value, std::abs(own) + std::abs(factor) * sum.magnitude};
}

// The sum of squares must matter as much as k.
double input_range(const Lrn& shape) {
  if (shape.alpha <= 0 || shape.k <= 0) return 1;
  return std::clamp(1.6 * std::sqrt(shape.k / static_cast<double>(shape.alpha)), 1.0, 256.0);
}

}  // namespace benanza::verify
