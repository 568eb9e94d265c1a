#include "core/problem/ops/deconvolution.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "core/problem/ops/convolution.h"

namespace benanza {

void Deconvolution::write(KeyWriter& writer) const {
  writer.dims("", input);
  window.write(writer, {filters});
  writer.integer("g", groups);
  if (unsigned_data) writer.word(is_unsigned_word);
}

Deconvolution Deconvolution::read(KeyReader& reader) {
  Deconvolution shape;
  shape.input = reader.dims("");
  if (shape.input.size() < 3) reader.fail("an input of n, c and at least one spatial axis");
  Dims filters;
  shape.window = Window::read_unplaced(reader, shape.input.size() - 2, 1, filters);
  shape.filters = filters.front();
  shape.groups = reader.integer("g");
  if (shape.groups < 1 || shape.input[1] % shape.groups != 0 || shape.filters < 1 ||
      shape.filters % shape.groups != 0) {
    reader.fail("groups that divide channels and filters");
  }
  shape.unsigned_data = reader.accept(is_unsigned_word);
  const Dims& pads = shape.window.pads;
  const auto begins_end = pads.begin() + static_cast<std::ptrdiff_t>(shape.window.rank());
  if (std::any_of(pads.begin(), begins_end, [](std::int64_t pad) { return pad < 0; })) {
    reader.fail("begin pads of at least 0");
  }
  const Dims extents = shape.window.transposed_output(spatial(shape.input));
  if (std::any_of(extents.begin(), extents.end(), [](std::int64_t size) { return size < 1; })) {
    reader.fail("pads that leave an output");
  }
  return shape;
}

std::vector<Operand> Deconvolution::inputs() const {
  Dims weights{input[1], filters / groups};
  weights.insert(weights.end(), window.kernel.begin(), window.kernel.end());
  return {{.name = "input", .dims = input, .domain = data_domain(unsigned_data)},
          {.name = "weights", .dims = weights, .role = Role::weights}};
}

Dims Deconvolution::output() const {
  Dims dims{input[0], filters};
  const Dims extents = window.transposed_output(spatial(input));
  dims.insert(dims.end(), extents.begin(), extents.end());
  return dims;
}

double Deconvolution::flops() const {
  return 2.0 * static_cast<double>(element_count(input)) * static_cast<double>(filters / groups) *
         static_cast<double>(element_count(window.kernel));
}

std::int64_t Deconvolution::reduction_length() const {
  std::int64_t length = input[1] / groups;
  for (std::size_t axis = 0; axis < window.rank(); ++axis) {
    const std::int64_t apart =
        window.strides[axis] / std::gcd(window.strides[axis], window.dilations[axis]);
    length *= (window.kernel[axis] + apart - 1) / apart;
  }
  return length;
}

Deconvolution data_gradient(const Convolution& forward) {
  const Window& window = forward.window;
  const std::size_t rank = window.rank();
  if (forward.input.size() != rank + 2 || window.pads.size() != 2 * rank ||
      window.strides.size() != rank || window.dilations.size() != rank ||
      std::any_of(window.strides.begin(), window.strides.end(),
                  [](std::int64_t stride) { return stride < 1; })) {
    throw std::invalid_argument("a convolution whose window does not fit its input");
  }
  Deconvolution gradient{.input = forward.output(),
                         .filters = forward.input[1],
                         .window = window,
                         .groups = forward.groups};
  const Dims reached = window.transposed_output(spatial(gradient.input));
  for (std::size_t axis = 0; axis < rank; ++axis) {
    gradient.window.pads[rank + axis] += reached[axis] - forward.input[axis + 2];
  }
  return gradient;
}

}  // namespace benanza
