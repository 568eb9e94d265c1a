// Batch normalization in training, and gradients of normalizations.

#include <cmath>

#include "suites/verify/operators.h"

namespace benanza::verify {
namespace {

/// A flat place as a result and an index into it.
struct PartPlace {
  std::size_t part = 0;
  std::int64_t index = 0;
};

PartPlace part_of(const std::vector<Dims>& parts, std::int64_t flat) {
  PartPlace place{.part = 0, .index = flat};
  while (place.index >= element_count(parts[place.part])) {
    place.index -= element_count(parts[place.part]);
    ++place.part;
  }
  return place;
}

/// Moves every second place into one of the results after the first, which are small.
Dims spread_over(const std::vector<Dims>& parts, Dims at) {
  const std::int64_t first = element_count(parts.front());
  if (parts.size() == 1 || at[0] >= first || at[0] % 2 == 0) return at;
  std::int64_t rest = 0;
  for (std::size_t part = 1; part < parts.size(); ++part) rest += element_count(parts[part]);
  return {first + at[0] / 2 % rest};
}

/// Calls visit(place) for every element of a channel of a tensor n, c, pixels...
template <class Visit>
void for_each_of_channel(const Dims& input, std::int64_t channel, Visit visit) {
  const std::int64_t pixels = element_count(input) / (input[0] * input[1]);
  for (std::int64_t image = 0; image < input[0]; ++image) {
    const std::int64_t begin = (image * input[1] + channel) * pixels;
    for (std::int64_t place = begin; place < begin + pixels; ++place) {
      visit(static_cast<std::size_t>(place));
    }
  }
}

std::int64_t channel_of(const Dims& input, const PartPlace& place) {
  if (place.part > 0) return place.index;
  const std::int64_t pixels = element_count(input) / (input[0] * input[1]);
  return place.index / pixels % input[1];
}

void add(Element& sum, double value, double magnitude) {
  sum.value += value;
  sum.magnitude += magnitude;
}

Element divided(Element element, double divisor) {
  return {element.value / divisor, element.magnitude / divisor};
}

/// (x - mean) / sqrt(variance + epsilon).
struct Normalized {
  double mean = 0;
  double factor = 1;

  Normalized(double mean_, double variance, float epsilon)
      : mean(mean_), factor(1 / std::sqrt(variance + static_cast<double>(epsilon))) {}
  double value(double x) const { return (x - mean) * factor; }
  double magnitude(double x) const { return (std::abs(x) + std::abs(mean)) * factor; }
};

/// factor (g - a - x' b), with x' = `normalized`.
Element input_gradient(double factor, double g, const Element& a, double normalized,
                       double normalized_size, const Element& b) {
  return {factor * (g - a.value - normalized * b.value),
          std::abs(factor) * (std::abs(g) + a.magnitude + normalized_size * b.magnitude)};
}

}  // namespace

Element element(const BatchNormalizationTraining& shape, Operands operands, const Dims& at) {
  const PartPlace place = part_of(shape.results(), at[0]);
  const std::int64_t channel = channel_of(shape.input, place);
  const std::vector<float>& x = operands[0];
  const auto count = static_cast<double>(shape.reduction_length());
  Element mean;
  for_each_of_channel(shape.input, channel,
                      [&](std::size_t i) { add(mean, x[i], std::abs(x[i])); });
  mean = divided(mean, count);
  if (place.part == 1) return mean;
  Element variance;
  for_each_of_channel(shape.input, channel, [&](std::size_t i) {
    const double distance = x[i] - mean.value;
    add(variance, distance * distance, static_cast<double>(x[i]) * x[i]);
  });
  variance = divided(variance, count);
  // Covers the mean of the squares minus the square of the mean, too.
  variance.magnitude += variance.value + mean.value * mean.value;
  if (place.part == 2) return variance;
  const auto c = static_cast<std::size_t>(channel);
  const Normalized normalized(mean.value, variance.value, shape.epsilon);
  const double value = x[static_cast<std::size_t>(place.index)];
  const double scale = operands[1][c];
  const double bias = operands[2][c];
  return {scale * normalized.value(value) + bias,
          std::abs(scale) * normalized.magnitude(value) + std::abs(bias)};
}

Dims sampled_at(const BatchNormalizationTraining& shape, Dims at) {
  return spread_over(shape.results(), std::move(at));
}

Element element(const BatchNormalizationGradient& shape, Operands operands, const Dims& at) {
  const PartPlace place = part_of(shape.results(), at[0]);
  const std::int64_t channel = channel_of(shape.input, place);
  const auto c = static_cast<std::size_t>(channel);
  const std::vector<float>& dy = operands[0];
  const std::vector<float>& x = operands[1];
  const Normalized normalized(operands[3][c], operands[4][c], shape.epsilon);
  Element scale_gradient;
  Element bias_gradient;
  for_each_of_channel(shape.input, channel, [&](std::size_t i) {
    const double size = std::abs(dy[i]);
    add(scale_gradient, dy[i] * normalized.value(x[i]), size * normalized.magnitude(x[i]));
    add(bias_gradient, dy[i], size);
  });
  if (place.part == 1) return scale_gradient;
  if (place.part == 2) return bias_gradient;
  const auto count = static_cast<double>(shape.reduction_length());
  const auto i = static_cast<std::size_t>(place.index);
  return input_gradient(operands[2][c] * normalized.factor, dy[i], divided(bias_gradient, count),
                        normalized.value(x[i]), normalized.magnitude(x[i]),
                        divided(scale_gradient, count));
}

Dims sampled_at(const BatchNormalizationGradient& shape, Dims at) {
  return spread_over(shape.results(), std::move(at));
}

Element element(const LayerNormalizationGradient& shape, Operands operands, const Dims& at) {
  const LayerNormalization& forward = shape.forward;
  const PartPlace place = part_of(shape.results(), at[0]);
  const std::vector<float>& dy = operands[0];
  const std::vector<float>& x = operands[1];
  const std::size_t statistics = forward.scale ? 3 : 2;
  const auto of_row = [&](std::int64_t row) {
    const auto r = static_cast<std::size_t>(row);
    const bool has_mean = !forward.root_mean_square;
    return Normalized(has_mean ? operands[statistics][r] : 0.0,
                      operands[statistics + (has_mean ? 1 : 0)][r], forward.epsilon);
  };
  if (place.part > 0) {
    const bool of_scale = forward.scale && place.part == 1;
    Element sum;
    for (std::int64_t row = 0; row < forward.rows; ++row) {
      const auto i = static_cast<std::size_t>(row * forward.length + place.index);
      const Normalized normalized = of_row(row);
      add(sum, of_scale ? dy[i] * normalized.value(x[i]) : dy[i],
          std::abs(dy[i]) * (of_scale ? normalized.magnitude(x[i]) : 1));
    }
    return sum;
  }
  const std::int64_t row = place.index / forward.length;
  const Normalized normalized = of_row(row);
  const auto gradient = [&](std::int64_t column) {
    const auto i = static_cast<std::size_t>(row * forward.length + column);
    const auto c = static_cast<std::size_t>(column);
    return static_cast<double>(dy[i]) * (forward.scale ? operands[2][c] : 1);
  };
  Element sum;
  Element product;
  for (std::int64_t column = 0; column < forward.length; ++column) {
    const double value = x[static_cast<std::size_t>(row * forward.length + column)];
    const double g = gradient(column);
    add(sum, g, std::abs(g));
    add(product, g * normalized.value(value), std::abs(g) * normalized.magnitude(value));
  }
  const auto count = static_cast<double>(forward.length);
  const double value = x[static_cast<std::size_t>(place.index)];
  return input_gradient(normalized.factor, gradient(place.index % forward.length),
                        forward.root_mean_square ? Element{} : divided(sum, count),
                        normalized.value(value), normalized.magnitude(value),
                        divided(product, count));
}

Dims sampled_at(const LayerNormalizationGradient& shape, Dims at) {
  return spread_over(shape.results(), std::move(at));
}

}  // namespace benanza::verify
