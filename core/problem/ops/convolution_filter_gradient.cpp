#include "core/problem/ops/convolution_filter_gradient.h"

namespace benanza {

void ConvolutionFilterGradient::write(KeyWriter& writer) const {
  forward.write(writer);
  if (bias) writer.word("bias");
}

ConvolutionFilterGradient ConvolutionFilterGradient::read(KeyReader& reader) {
  const Convolution forward = Convolution::read(reader);
  if (forward.unsigned_data) reader.fail("data of floats");
  return {forward, reader.accept("bias")};
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
