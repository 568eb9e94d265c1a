#include <algorithm>
#include <cmath>

#include "suites/verify/element_arithmetic.h"
#include "suites/verify/operators.h"

namespace benanza::verify {
namespace {

/// The position of the centre of output pixel `o` in the input.
double centre(std::int64_t o, std::int64_t input, std::int64_t output) {
  return (static_cast<double>(o) + 0.5) * static_cast<double>(input) / static_cast<double>(output) -
         0.5;
}

}  // namespace

Element element(const Resampling& shape, Operands operands, const Dims& at) {
  const std::size_t axes = shape.extents.size();
  Dims low = at;
  std::vector<double> share(axes, 0);
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::int64_t last = shape.input[axis + 2] - 1;
    double x = centre(at[axis + 2], shape.input[axis + 2], shape.extents[axis]);
    if (shape.mode == ResamplingMode::nearest) x = std::floor(x + 0.5);
    x = std::clamp(x, 0.0, static_cast<double>(last));
    low[axis + 2] = std::min(static_cast<std::int64_t>(x), std::max<std::int64_t>(0, last - 1));
    share[axis] = x - static_cast<double>(low[axis + 2]);
  }
  Element sum;
  // By how much the result grows along each axis.
  std::vector<double> slopes(axes, 0);
  for (std::size_t corner = 0; corner < std::size_t{1} << axes; ++corner) {
    Dims there = low;
    const auto is_high = [&](std::size_t axis) { return (corner >> axis & 1U) != 0; };
    for (std::size_t axis = 0; axis < axes; ++axis) there[axis + 2] += is_high(axis) ? 1 : 0;
    const auto weight_beside = [&](std::size_t left_out) {
      double weight = 1;
      for (std::size_t axis = 0; axis < axes; ++axis) {
        if (axis != left_out) weight *= is_high(axis) ? share[axis] : 1 - share[axis];
      }
      return weight;
    };
    const double weight = weight_beside(axes);
    if (weight == 0) continue;
    const double value = operands[0][static_cast<std::size_t>(ravel_broadcast(there, shape.input))];
    sum.value += weight * value;
    sum.magnitude += weight * std::abs(value);
    for (std::size_t axis = 0; axis < axes; ++axis) {
      slopes[axis] += (is_high(axis) ? 1 : -1) * weight_beside(axis) * value;
    }
  }
  // Positions are rounded, too: those far from the first pixel by more.
  if (shape.mode == ResamplingMode::linear) {
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const double position = static_cast<double>(low[axis + 2]) + share[axis];
      sum.magnitude += position * std::abs(slopes[axis]);
    }
  }
  return sum;
}

}  // namespace benanza::verify
