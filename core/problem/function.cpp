#include "core/problem/function.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace benanza {

double tanh_of_gelu(double x) {
  return std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x));
}

double value_of(const Activation& function, double x) {
  const double alpha = function.alpha;
  const double beta = function.beta;
  switch (function.kind) {
    case ActivationKind::relu:
      return std::max(x, 0.0);
    case ActivationKind::leaky_relu:
      return x < 0 ? alpha * x : x;
    case ActivationKind::clip:
      return std::min(std::max(x, alpha), beta);
    case ActivationKind::elu:
      return x < 0 ? alpha * std::expm1(x) : x;
    case ActivationKind::sigmoid:
      return 1 / (1 + std::exp(-x));
    case ActivationKind::tanh:
      return std::tanh(x);
    case ActivationKind::linear:
      return alpha * x + beta;
    case ActivationKind::gelu:
      return x * (1 + std::erf(x / std::numbers::sqrt2)) / 2;
    case ActivationKind::gelu_tanh:
      return x * (1 + tanh_of_gelu(x)) / 2;
    case ActivationKind::erf:
      return std::erf(x);
    case ActivationKind::hard_swish:
      return x * std::clamp(x / 6 + 0.5, 0.0, 1.0);
    case ActivationKind::softplus:
      return std::log1p(std::exp(x));
    case ActivationKind::softsign:
      return x / (1 + std::abs(x));
    case ActivationKind::mish:
      return x * std::tanh(std::log1p(std::exp(x)));
    case ActivationKind::swish:
      return x / (1 + std::exp(-alpha * x));
    case ActivationKind::exp:
      return std::exp(x);
    case ActivationKind::log:
      return std::log(x);
    case ActivationKind::sqrt:
      return std::sqrt(x);
    case ActivationKind::pow:
      return std::pow(x, alpha);
    case ActivationKind::abs:
      return std::abs(x);
    case ActivationKind::floor:
      return std::floor(x);
    case ActivationKind::ceil:
      return std::ceil(x);
    case ActivationKind::round:
      return std::nearbyint(x);
    case ActivationKind::sign:
      return (x > 0 ? 1 : 0) - (x < 0 ? 1 : 0);
    case ActivationKind::sin:
      return std::sin(x);
    case ActivationKind::cos:
      return std::cos(x);
  }
  throw std::logic_error("unknown activation");
}

double value_of(BinaryKind kind, double a, double b) {
  switch (kind) {
    case BinaryKind::add:
      return a + b;
    case BinaryKind::sub:
      return a - b;
    case BinaryKind::mul:
      return a * b;
    case BinaryKind::div:
      return a / b;
    case BinaryKind::max:
      return std::max(a, b);
    case BinaryKind::min:
      return std::min(a, b);
    case BinaryKind::prelu:
      return a < 0 ? a * b : a;
    case BinaryKind::power:
      return std::pow(a, b);
    case BinaryKind::eq:
      return a == b ? 1 : 0;
    case BinaryKind::ne:
      return a != b ? 1 : 0;
    case BinaryKind::lt:
      return a < b ? 1 : 0;
    case BinaryKind::le:
      return a <= b ? 1 : 0;
    case BinaryKind::gt:
      return a > b ? 1 : 0;
    case BinaryKind::ge:
      return a >= b ? 1 : 0;
  }
  throw std::logic_error("unknown binary operator");
}

}  // namespace benanza
