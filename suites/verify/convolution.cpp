#include <cmath>

#include "suites/verify/element_arithmetic.h"
#include "suites/verify/operators.h"

namespace benanza::verify {

Element element(const Convolution& shape, Operands operands, const Dims& at) {
  const std::int64_t group_channels = shape.input[1] / shape.groups;
  const std::int64_t group = at[1] / (shape.filters / shape.groups);
  const std::int64_t taps = element_count(shape.window.kernel);
  const std::int64_t pixels = plane(shape.input);
  const float* input =
      operands[0].data() + (at[0] * shape.input[1] + group * group_channels) * pixels;
  const float* weights = operands[1].data() + at[1] * group_channels * taps;
  Element sum;
  for_each_tap(shape.window, spatial(shape.input), Dims(at.begin() + 2, at.end()),
               [&](std::int64_t tap, std::int64_t pixel) {
                 for (std::int64_t channel = 0; channel < group_channels; ++channel) {
                   const double product = static_cast<double>(input[channel * pixels + pixel]) *
                                          weights[channel * taps + tap];
                   sum.value += product;
                   sum.magnitude += std::abs(product);
                 }
               });
  return sum;
}

}  // namespace benanza::verify
