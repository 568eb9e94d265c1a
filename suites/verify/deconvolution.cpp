#include <cmath>

#include "suites/verify/element_arithmetic.h"
#include "suites/verify/operators.h"

namespace benanza::verify {

Element element(const Deconvolution& shape, Operands operands, const Dims& at) {
  const Window& window = shape.window;
  const Dims extents = spatial(shape.input);
  const std::int64_t group_channels = shape.input[1] / shape.groups;
  const std::int64_t group_filters = shape.filters / shape.groups;
  const std::int64_t first_channel = at[1] / group_filters * group_channels;
  const std::int64_t filter = at[1] % group_filters;
  const std::int64_t taps = element_count(window.kernel);
  const std::int64_t pixels = plane(shape.input);
  const float* input = operands[0].data() + (at[0] * shape.input[1] + first_channel) * pixels;
  const float* weights = operands[1].data() + (first_channel * group_filters + filter) * taps;
  Element sum;
  Dims tap(window.rank(), 0);
  std::int64_t tap_index = 0;
  do {
    // The input pixel whose product with this tap is added here, if there is one.
    bool inside = true;
    std::int64_t pixel = 0;
    for (std::size_t axis = 0; axis < window.rank(); ++axis) {
      const std::int64_t distance =
          at[axis + 2] + window.pads[axis] - tap[axis] * window.dilations[axis];
      const std::int64_t position = distance / window.strides[axis];
      inside = inside && distance >= 0 && distance % window.strides[axis] == 0 &&
               position < extents[axis];
      pixel = pixel * extents[axis] + position;
    }
    if (inside) {
      for (std::int64_t channel = 0; channel < group_channels; ++channel) {
        const double product = static_cast<double>(input[channel * pixels + pixel]) *
                               weights[channel * group_filters * taps + tap_index];
        sum.value += product;
        sum.magnitude += std::abs(product);
      }
    }
    ++tap_index;
  } while (advance(tap, window.kernel));
  return sum;
}

}  // namespace benanza::verify
