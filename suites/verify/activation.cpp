#include <algorithm>
#include <cmath>

#include "core/problem/function.h"
#include "suites/verify/element_arithmetic.h"
#include "suites/verify/operators.h"

namespace benanza::verify {

Element element(const Activation& shape, Operands operands, const Dims& at) {
  return activated(shape, operands[0][static_cast<std::size_t>(ravel_broadcast(at, shape.input))]);
}

namespace {

/// An upper bound of the function's slope at x.
double steepness(const Activation& shape, double x) {
  switch (shape.kind) {
    case ActivationKind::exp:
    case ActivationKind::log:
    case ActivationKind::sqrt:
    case ActivationKind::pow: {
      const double step = 1e-3 * std::abs(x);
      const double left = activated(shape, x - step).value;
      const double right = activated(shape, x + step).value;
      return step == 0 ? 1 : std::abs(right - left) / (2 * step);
    }
    case ActivationKind::linear:
      return std::abs(static_cast<double>(shape.alpha));
    default:
      // No other function is steeper than 1.25 or, if it has one, its slope alpha.
      return std::max(1.25, std::abs(static_cast<double>(shape.alpha)));
  }
}

/// The size of the terms whose sum or product is `value`, the function's at x.
double magnitude(const Activation& shape, double x, double value) {
  switch (shape.kind) {
    case ActivationKind::elu:
      return x < 0 ? std::abs(static_cast<double>(shape.alpha)) * (std::exp(x) + 1)
                   : std::abs(value);
    case ActivationKind::linear:
      return std::abs(shape.alpha * x) + std::abs(static_cast<double>(shape.beta));
    case ActivationKind::gelu_tanh:
      // Half of x, and half of x * t, where tanh may be off by 2^-17: that of cuDNN 9.14 in fp32 is
      // off by 2^-17.5 at 1 (1.8e-6 of the result, on an H200). One of 11 bits would be off by
      // 2^-12.
      return std::abs(x) * (1 + 8 * std::abs(tanh_of_gelu(x))) / 2;
    case ActivationKind::gelu:
    case ActivationKind::hard_swish:
    case ActivationKind::mish:
    case ActivationKind::swish:
      return std::abs(x);
    case ActivationKind::softplus:
      return std::abs(x) + 1;
    case ActivationKind::log:
      // The parts of the exponent and of the mantissa, which cancel at 1.
      return std::abs(value) + 2;
    case ActivationKind::sin:
    case ActivationKind::cos:
      return 1;
    default:
      return std::abs(value);
  }
}

}  // namespace

Element activated(const Activation& shape, const Element& x) {
  Element result = activated(shape, x.value);
  const double slope = steepness(shape, x.value);
  if (shape.kind == ActivationKind::linear) {
    result.magnitude = slope * x.magnitude + std::abs(static_cast<double>(shape.beta));
  }
  result.magnitude = std::max(result.magnitude, slope * x.magnitude);
  result.carried = slope * x.carried;
  return result;
}

Element activated(const Activation& shape, double x) {
  const double value = value_of(shape, x);
  return {value, magnitude(shape, x, value)};
}

double input_range(const Activation& shape) {
  switch (shape.kind) {
    case ActivationKind::clip: {
      // Beyond both bounds. Bounds too large for any network to reach do not count.
      double range = 1;
      for (const double bound : {std::abs(shape.alpha), std::abs(shape.beta)}) {
        if (bound < 1000) range = std::max(range, 1.25 * bound);
      }
      return range;
    }
    case ActivationKind::relu:
    case ActivationKind::leaky_relu:
    case ActivationKind::linear:
    case ActivationKind::abs:
      return 16;  // Beyond the usual bounds of a clip, which must not pass for one of these.
    default:
      return 4;
  }
}

}  // namespace benanza::verify
