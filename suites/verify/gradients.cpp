// Gradients of activation functions, softmax, pooling and a convolution's filters.

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "suites/verify/element_arithmetic.h"
#include "suites/verify/operators.h"

namespace benanza::verify {
namespace {

/// Removes the storage error of a formula whose intermediate values stay in fp32.
Element not_stored(const Element& result) { return {result.value, result.magnitude}; }

Element gelu_slope(double v) {
  const double density = std::exp(-v * v / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  return {(1 + std::erf(v * std::numbers::sqrt2 / 2)) / 2 + v * density, 1 + std::abs(v * density)};
}

Element gelu_tanh_slope(double v) {
  // All terms of the argument have the same sign, and so have those of the inner slope.
  const double root = std::sqrt(2 * std::numbers::inv_pi);
  const Element t = tanh_of(constant(root * (v + 0.044715 * v * v * v)));
  const double inner_slope = root * (1 + 3 * 0.044715 * v * v);
  return not_stored(constant(0.5) + constant(0.5) * t +
                    constant(v * inner_slope / 2) * one_minus(t * t));
}

Element mish_slope(double v) {
  const Element t = tanh_of(Element{std::log1p(std::exp(v)), std::abs(v) + 1});
  return not_stored(t + constant(v) * sigmoid_of(constant(v)) * one_minus(t * t));
}

/// The function's derivative at the value that the gradient reads (ActivationGradient): the result
/// if of_result(), otherwise the input.
Element derivative(const ActivationGradient& shape, double v) {
  const double alpha = shape.forward.alpha;
  const double beta = shape.forward.beta;
  const auto of_size = [](double value) { return Element{value, std::abs(value)}; };
  using enum ActivationKind;
  switch (shape.forward.kind) {
    case relu:
      return of_size(v > 0 ? 1 : 0);
    case leaky_relu:
      return of_size(v > 0 ? 1 : alpha);
    case clip:
      return of_size(v > alpha && v < beta ? 1 : 0);
    case elu:
      if (v > 0) return of_size(1);
      return shape.of_result() ? Element{v + alpha, std::abs(v) + std::abs(alpha)}
                               : of_size(alpha * std::exp(v));
    case sigmoid:
      return {v * (1 - v), std::abs(v) + v * v};
    case tanh:
      return {1 - v * v, 1 + v * v};
    case exp:
      return of_size(v);
    case sqrt:
      return of_size(1 / (2 * v));
    case gelu:
      return gelu_slope(v);
    case gelu_tanh:
      return gelu_tanh_slope(v);
    case erf:
      return of_size(2 * std::numbers::inv_sqrtpi * std::exp(-v * v));
    case hard_swish: {
      if (v <= -3) return {0, 1};
      if (v >= 3) return of_size(1);
      return {v / 3 + 0.5, std::abs(v) / 3 + 0.5};
    }
    case softplus:
      return of_size(1 / (1 + std::exp(-v)));
    case softsign:
      return of_size(1 / ((1 + std::abs(v)) * (1 + std::abs(v))));
    case mish:
      return mish_slope(v);
    case swish: {
      const double s = 1 / (1 + std::exp(-alpha * v));
      return {s + alpha * v * s * (1 - s), 1 + std::abs(alpha * v)};
    }
    case log:
      return of_size(1 / v);
    case pow:
      return of_size(alpha * std::pow(v, alpha - 1));
    case abs:
      return of_size((v > 0 ? 1 : 0) - (v < 0 ? 1 : 0));
    case sin:
      return {std::cos(v), 1};
    case cos:
      return {-std::sin(v), 1};
    default:
      throw std::logic_error("a function without a gradient");
  }
}

/// The first largest pixel of the window at output pixel `pixel`.
std::int64_t largest_pixel(const Pooling& shape, const float* plane, const Dims& pixel) {
  double largest = -std::numeric_limits<double>::infinity();
  std::int64_t place = -1;
  for_each_tap(shape.window, spatial(shape.input), pixel, [&](std::int64_t, std::int64_t offset) {
    if (plane[offset] <= largest) return;
    largest = plane[offset];
    place = offset;
  });
  return place;
}

/// The divisor of an average at output pixel `pixel`.
double divisor(const Pooling& shape, const Dims& pixel) {
  if (shape.mode == PoolingMode::average_include_pad) {
    return static_cast<double>(element_count(shape.window.kernel));
  }
  std::int64_t taps = 0;
  for_each_tap(shape.window, spatial(shape.input), pixel,
               [&](std::int64_t, std::int64_t) { ++taps; });
  return static_cast<double>(taps);
}

/// Calls visit(pixel) for every output pixel whose window has a tap on input pixel `at`.
template <class Visit>
void for_each_window(const Window& window, const Dims& outputs, const Dims& at, Visit visit) {
  Dims tap(window.rank(), 0);
  do {
    Dims pixel(window.rank());
    bool meets = true;
    for (std::size_t axis = 0; axis < window.rank(); ++axis) {
      const std::int64_t shifted =
          at[axis] + window.pads[axis] - tap[axis] * window.dilations[axis];
      meets = meets && shifted >= 0 && shifted % window.strides[axis] == 0 &&
              shifted / window.strides[axis] < outputs[axis];
      pixel[axis] = shifted / window.strides[axis];
    }
    if (meets) visit(pixel);
  } while (advance(tap, window.kernel));
}

}  // namespace

Element element(const ActivationGradient& shape, Operands operands, const Dims& at) {
  const auto place = static_cast<std::size_t>(ravel_broadcast(at, shape.forward.input));
  const double gradient = operands[0][place];
  const Element slope = derivative(shape, operands[1][place]);
  return {gradient * slope.value, std::abs(gradient) * slope.magnitude};
}

Element element(const SoftmaxGradient& shape, Operands operands, const Dims& at) {
  const Dims& dims = shape.forward.input;
  const auto axis = static_cast<std::size_t>(shape.forward.axis);
  const auto place = [&](const Dims& where) {
    return static_cast<std::size_t>(ravel_broadcast(where, dims));
  };
  Element sum;
  Dims other = at;
  for (other[axis] = 0; other[axis] < dims[axis]; ++other[axis]) {
    const double gradient = operands[0][place(other)];
    const double term = shape.forward.logarithm ? gradient : gradient * operands[1][place(other)];
    sum.value += term;
    sum.magnitude += std::abs(term);
  }
  const double gradient = operands[0][place(at)];
  const double y = operands[1][place(at)];
  const double size = std::abs(gradient);
  if (shape.forward.logarithm) {
    const double share = std::exp(y);
    return {gradient - share * sum.value, size + share * sum.magnitude};
  }
  return {y * (gradient - sum.value), std::abs(y) * (size + sum.magnitude)};
}

Element element(const PoolingGradient& shape, Operands operands, const Dims& at) {
  const Pooling& forward = shape.forward;
  const Dims extents = spatial(forward.input);
  const Dims outputs = spatial(forward.output());
  const std::int64_t channel = at[0] * forward.input[1] + at[1];
  const float* gradient = operands[0].data() + channel * plane(forward.output());
  const Dims pixel(at.begin() + 2, at.end());
  Element sum;
  for_each_window(forward.window, outputs, pixel, [&](const Dims& output) {
    double term = gradient[ravel_broadcast(output, outputs)];
    if (forward.mode == PoolingMode::max) {
      const float* input = operands[1].data() + channel * plane(forward.input);
      if (largest_pixel(forward, input, output) != ravel_broadcast(pixel, extents)) return;
    } else {
      term /= divisor(forward, output);
    }
    sum.value += term;
    sum.magnitude += std::abs(term);
  });
  return sum;
}

/// Makes the values distinct within every window without dilation: by the pixel's position modulo
/// the kernel, in an order of its own for each channel. Every type here holds integers up to 256
/// exactly.
void adjust_inputs(const PoolingGradient& shape, std::vector<std::vector<float>>& values) {
  const Pooling& forward = shape.forward;
  if (forward.mode != PoolingMode::max) return;
  const Dims& kernel = forward.window.kernel;
  const std::int64_t count = element_count(kernel);
  const Dims extents = spatial(forward.input);
  const std::int64_t pixels = plane(forward.input);
  std::vector<float>& input = values.at(1);
  for (std::size_t index = 0; index < input.size(); ++index) {
    const auto flat = static_cast<std::int64_t>(index);
    const Dims at = unravel(flat % pixels, extents);
    Dims place(at.size());
    for (std::size_t axis = 0; axis < at.size(); ++axis) place[axis] = at[axis] % kernel[axis];
    const std::int64_t channel = flat / pixels;
    input[index] =
        static_cast<float>((ravel_broadcast(place, kernel) + channel) % count - count / 2);
  }
}

namespace {

/// The gradient of one filter's bias.
Element bias_gradient(const Convolution& forward, const std::vector<float>& gradient,
                      std::int64_t filter) {
  const std::int64_t pixels = plane(forward.output());
  Element sum;
  for (std::int64_t image = 0; image < forward.input[0]; ++image) {
    const float* values = gradient.data() + (image * forward.filters + filter) * pixels;
    for (std::int64_t pixel = 0; pixel < pixels; ++pixel) {
      sum.value += values[pixel];
      sum.magnitude += std::abs(values[pixel]);
    }
  }
  return sum;
}

}  // namespace

/// With a bias, moves one in eight places into the bias gradient.
Dims sampled_at(const ConvolutionFilterGradient& shape, Dims at) {
  if (!shape.bias || at[0] % 8 != 1) return at;
  const std::int64_t weights = element_count(shape.results()[0]);
  return {weights + at[0] / 8 % shape.forward.filters};
}

Element element(const ConvolutionFilterGradient& shape, Operands operands, const Dims& place) {
  const Convolution& forward = shape.forward;
  Dims at = place;
  if (shape.bias) {
    const Dims weights = shape.results()[0];
    const std::int64_t behind = place[0] - element_count(weights);
    if (behind >= 0) return bias_gradient(forward, operands[1], behind);
    at = unravel(place[0], weights);
  }
  const Window& window = forward.window;
  const std::int64_t group_channels = forward.input[1] / forward.groups;
  const std::int64_t group = at[0] / (forward.filters / forward.groups);
  const std::int64_t channel = group * group_channels + at[1];
  const std::int64_t pixels = plane(forward.input);
  const Dims extents = spatial(forward.input);
  const Dims outputs = spatial(forward.output());
  const std::int64_t output_pixels = element_count(outputs);
  Element sum;
  for (std::int64_t image = 0; image < forward.input[0]; ++image) {
    const float* input = operands[0].data() + (image * forward.input[1] + channel) * pixels;
    const float* gradient = operands[1].data() + (image * forward.filters + at[0]) * output_pixels;
    Dims output(outputs.size(), 0);
    std::int64_t output_place = 0;
    do {
      std::int64_t place = 0;
      bool inside = true;
      for (std::size_t axis = 0; axis < outputs.size(); ++axis) {
        const std::int64_t position = output[axis] * window.strides[axis] - window.pads[axis] +
                                      at[axis + 2] * window.dilations[axis];
        inside = inside && position >= 0 && position < extents[axis];
        place = place * extents[axis] + position;
      }
      if (inside) {
        const double product = static_cast<double>(input[place]) * gradient[output_place];
        sum.value += product;
        sum.magnitude += std::abs(product);
      }
      ++output_place;
    } while (advance(output, outputs));
  }
  return sum;
}

}  // namespace benanza::verify
