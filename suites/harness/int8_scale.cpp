#include <algorithm>
#include <cmath>

#include "suites/harness/primitive.h"

namespace benanza::harness {
namespace {

/// Number of products of random inputs that are summed into one element, for which int8 results
/// must be scaled down. 0 if nothing is summed or if the sum is divided by its length.
template <class Shape>
std::int64_t summed_products(const Shape&) {
  return 0;
}
std::int64_t summed_products(const Convolution& shape) { return shape.reduction_length(); }
std::int64_t summed_products(const Deconvolution& shape) { return shape.reduction_length(); }
std::int64_t summed_products(const Gemm& shape) { return shape.reduction_length(); }
std::int64_t summed_products(const GroupedGemm& shape) { return shape.reduction_length(); }
std::int64_t summed_products(const Reduction& shape) {
  using enum ReductionKind;
  const bool sums = shape.kind == sum || shape.kind == l1 || shape.kind == sum_square;
  return sums ? shape.reduction_length() : 0;
}

}  // namespace

float int8_scale(const Problem& problem) {
  const std::int64_t length =
      std::visit([](const auto& shape) { return summed_products(shape); }, problem.shape);
  if (length == 0) return 1;
  // Standard deviation of a product of the integers that verification draws: 5.05 * 5.48. That of a
  // sum grows with the square root of its length; a third of the 8-bit range leaves room for the
  // bias and saturates rarely.
  constexpr double product_deviation = 27.7;
  constexpr double wanted_deviation = 40;
  const double scale = wanted_deviation / (product_deviation * std::sqrt(length));
  return static_cast<float>(std::exp2(std::min(0.0, std::floor(std::log2(scale)))));
}

}  // namespace benanza::harness
