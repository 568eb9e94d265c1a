#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "harness/reference/coordinates.h"
#include "harness/reference/operators.h"

namespace benanza::reference_detail {

Element element(const Activation& shape, Operands operands, const Dims& at) {
  const double x = operands[0][static_cast<std::size_t>(ravel_broadcast(at, shape.input))];
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
  }
  throw std::logic_error("unknown activation");
}

double input_range(const Activation& shape) {
  switch (shape.kind) {
    case ActivationKind::clip: {
      // Beyond both bounds; a bound so far out that no network reaches it does not count.
      double range = 1;
      for (const double bound : {std::abs(shape.alpha), std::abs(shape.beta)}) {
        if (bound < 1000) range = std::max(range, 1.25 * bound);
      }
      return range;
    }
    case ActivationKind::elu:
    case ActivationKind::sigmoid:
    case ActivationKind::tanh:
      return 4;
    case ActivationKind::relu:
    case ActivationKind::leaky_relu:
    case ActivationKind::linear:
      return 16;  // Beyond the usual bounds of a clip, which must not pass for one of these.
  }
  throw std::logic_error("unknown activation");
}

}  // namespace benanza::reference_detail
