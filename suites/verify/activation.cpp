#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "suites/verify/coordinates.h"
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
  const double alpha = shape.alpha;
  const double beta = shape.beta;
  const auto of_size = [](double value) { return Element{value, std::abs(value)}; };
  switch (shape.kind) {
    case ActivationKind::relu:
      return of_size(std::max(x, 0.0));
    case ActivationKind::leaky_relu:
      return of_size(x < 0 ? alpha * x : x);
    case ActivationKind::clip:
      return of_size(std::min(std::max(x, alpha), beta));
    case ActivationKind::elu:
      return x < 0 ? Element{alpha * std::expm1(x), std::abs(alpha) * (std::exp(x) + 1)}
                   : of_size(x);
    case ActivationKind::sigmoid:
      return of_size(1 / (1 + std::exp(-x)));
    case ActivationKind::tanh:
      return of_size(std::tanh(x));
    case ActivationKind::linear:
      return {alpha * x + beta, std::abs(alpha * x) + std::abs(beta)};
    case ActivationKind::gelu:
      return {x * (1 + std::erf(x * std::numbers::sqrt2 / 2)) / 2, std::abs(x)};
    case ActivationKind::gelu_tanh: {
      const double inner = std::sqrt(2 * std::numbers::inv_pi) * (x + 0.044715 * x * x * x);
      const double t = std::tanh(inner);
      // Half of x, and half of x * t, where tanh may be off by 2^-17: that of cuDNN 9.14 in fp32 is
      // off by 2^-17.5 at 1 (1.8e-6 of the result, on an H200). One of 11 bits would be off by
      // 2^-12.
      return {x * (1 + t) / 2, std::abs(x) * (1 + 8 * std::abs(t)) / 2};
    }
    case ActivationKind::erf:
      return of_size(std::erf(x));
    case ActivationKind::hard_swish:
      return {x * std::clamp(x / 6 + 0.5, 0.0, 1.0), std::abs(x)};
    case ActivationKind::softplus:
      return {std::log1p(std::exp(x)), std::abs(x) + 1};
    case ActivationKind::softsign:
      return of_size(x / (1 + std::abs(x)));
    case ActivationKind::mish:
      return {x * std::tanh(std::log1p(std::exp(x))), std::abs(x)};
    case ActivationKind::swish:
      return {x / (1 + std::exp(-alpha * x)), std::abs(x)};
    case ActivationKind::exp:
      return of_size(std::exp(x));
    case ActivationKind::log:
      // The parts of the exponent and of the mantissa, which cancel at 1.
      return {std::log(x), std::abs(std::log(x)) + 2};
    case ActivationKind::sqrt:
      return of_size(std::sqrt(x));
    case ActivationKind::pow:
      return of_size(std::pow(x, alpha));
    case ActivationKind::abs:
      return of_size(std::abs(x));
    case ActivationKind::floor:
      return of_size(std::floor(x));
    case ActivationKind::ceil:
      return of_size(std::ceil(x));
    case ActivationKind::round:
      return of_size(std::nearbyint(x));
    case ActivationKind::sign:
      return of_size((x > 0 ? 1 : 0) - (x < 0 ? 1 : 0));
    case ActivationKind::sin:
      return {std::sin(x), 1};
    case ActivationKind::cos:
      return {std::cos(x), 1};
  }
  throw std::logic_error("unknown activation");
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
