#include <algorithm>
#include <cmath>

#include "suites/harness/primitive.h"
#include "suites/verify/operators.h"

namespace benanza {

float int8_scale(const Problem& problem) {
  const std::int64_t length = std::visit(
      [](const auto& shape) { return reference_detail::summed_products(shape); }, problem.shape);
  if (length == 0) return 1;
  // Standard deviation of a product of the integers that inputs_for draws: 5.05 * 5.48. A sum's
  // grows with the square root of its length; a third of the range of 8 bits leaves room for the
  // bias and saturates rarely.
  constexpr double product_deviation = 27.7;
  constexpr double wanted_deviation = 40;
  const double scale = wanted_deviation / (product_deviation * std::sqrt(length));
  return static_cast<float>(std::exp2(std::min(0.0, std::floor(std::log2(scale)))));
}

}  // namespace benanza
