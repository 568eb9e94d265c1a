#include <algorithm>
#include <cmath>
#include <limits>

#include "suites/verify/element_arithmetic.h"
#include "suites/verify/operators.h"

namespace benanza::verify {

Element element(const Pooling& shape, Operands operands, const Dims& at) {
  const float* input = operands[0].data() + (at[0] * shape.input[1] + at[1]) * plane(shape.input);
  double largest = -std::numeric_limits<double>::infinity();
  Element sum;
  std::int64_t taps_on_input = 0;
  for_each_tap(shape.window, spatial(shape.input), Dims(at.begin() + 2, at.end()),
               [&](std::int64_t, std::int64_t pixel) {
                 const double value = input[pixel];
                 largest = std::max(largest, value);
                 sum.value += value;
                 sum.magnitude += std::abs(value);
                 ++taps_on_input;
               });
  if (shape.mode == PoolingMode::max) return {largest, std::abs(largest)};
  const auto divisor = static_cast<double>(shape.mode == PoolingMode::average_include_pad
                                               ? element_count(shape.window.kernel)
                                               : std::max<std::int64_t>(taps_on_input, 1));
  return {sum.value / divisor, sum.magnitude / divisor};
}

}  // namespace benanza::verify
