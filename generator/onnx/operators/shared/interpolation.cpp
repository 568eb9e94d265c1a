#include "generator/onnx/operators/shared/interpolation.h"

#include <algorithm>
#include <cmath>

namespace benanza::onnx {
namespace {

/// Of a pixel at `distance`.
double weight(double distance, const Interpolation& how) {
  const double x = std::abs(distance);
  if (!how.cubic) return std::max(0.0, 1 - x);
  const double a = how.coefficient;
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

}  // namespace

std::vector<float> interpolation_weights(const std::vector<double>& coordinates,
                                         std::int64_t extent, const Interpolation& how) {
  std::vector<float> weights(coordinates.size() * static_cast<std::size_t>(extent));
  const std::int64_t reach = how.cubic ? 2 : 1;
  for (std::size_t result = 0; result < coordinates.size(); ++result) {
    std::vector<double> row(static_cast<std::size_t>(extent));
    const auto first = static_cast<std::int64_t>(std::floor(coordinates[result])) - reach + 1;
    double sum = 0;
    for (std::int64_t pixel = first; pixel < first + 2 * reach; ++pixel) {
      const bool outside = pixel < 0 || pixel >= extent;
      if (outside && how.excludes_outside) continue;
      const double part = weight(coordinates[result] - static_cast<double>(pixel), how);
      row[static_cast<std::size_t>(std::clamp<std::int64_t>(pixel, 0, extent - 1))] += part;
      sum += part;
    }
    for (std::size_t pixel = 0; pixel < row.size(); ++pixel) {
      weights[result * row.size() + pixel] = static_cast<float>(row[pixel] / sum);
    }
  }
  return weights;
}

}  // namespace benanza::onnx
