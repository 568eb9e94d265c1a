#include "core/problem/ops/convolution_filter_gradient.h"

namespace benanza {

std::vector<Operand> ConvolutionFilterGradient::inputs() const {
  return {{.name = "input", .dims = forward.input},
          {.name = "output gradient", .dims = forward.output()}};
}

std::int64_t ConvolutionFilterGradient::reduction_length() const {
  return element_count(forward.output()) / forward.filters;
}

}  // namespace benanza
