#include "core/problem/ops/convolution_filter_gradient.h"

namespace benanza {

void ConvolutionFilterGradient::map(KeyFields& fields) {
  forward.map(fields);
  fields.require(!forward.unsigned_data, "data of floats").flag("bias", bias);
}

Dims ConvolutionFilterGradient::output() const {
  const Dims weights = forward.inputs()[1].dims;
  return bias ? Dims{element_count(weights) + forward.filters} : weights;
}

std::vector<Dims> ConvolutionFilterGradient::results() const {
  std::vector<Dims> parts{forward.inputs()[1].dims};
  if (bias) parts.push_back({forward.filters});
  return parts;
}

double ConvolutionFilterGradient::flops() const {
  const double sums = bias ? static_cast<double>(element_count(forward.output())) : 0;
  return product_flops() + sums;
}

std::vector<Operand> ConvolutionFilterGradient::inputs() const {
  return {{.name = "input", .dims = forward.input},
          {.name = "output gradient", .dims = forward.output()}};
}

std::int64_t ConvolutionFilterGradient::reduction_length() const {
  return element_count(forward.output()) / forward.filters;
}

}  // namespace benanza
