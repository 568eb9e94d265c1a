#include "core/problem/ops/convolution.h"

namespace benanza {

void Convolution::write(KeyWriter& writer) const {
  writer.dims("", input);
  window.write(writer, {filters});
  writer.integer("g", groups);
  if (unsigned_data) writer.word(is_unsigned_word);
}

Convolution Convolution::read(KeyReader& reader) {
  Convolution shape;
  shape.input = reader.dims("");
  if (shape.input.size() < 3) reader.fail("an input of n, c and at least one spatial axis");
  Dims filters;
  shape.window = Window::read(reader, spatial(shape.input), 1, filters);
  shape.filters = filters.front();
  shape.groups = reader.integer("g");
  if (shape.groups < 1 || shape.input[1] % shape.groups != 0 || shape.filters < 1 ||
      shape.filters % shape.groups != 0) {
    reader.fail("groups that divide channels and filters");
  }
  shape.unsigned_data = reader.accept(is_unsigned_word);
  return shape;
}

std::vector<Operand> Convolution::inputs() const {
  Dims weights{filters, input[1] / groups};
  weights.insert(weights.end(), window.kernel.begin(), window.kernel.end());
  return {{.name = "input", .dims = input, .domain = data_domain(unsigned_data)},
          {.name = "weights", .dims = weights, .role = Role::weights}};
}

Dims Convolution::output() const {
  Dims dims{input[0], filters};
  const Dims extents = window.output(spatial(input));
  dims.insert(dims.end(), extents.begin(), extents.end());
  return dims;
}

double Convolution::flops() const {
  return 2.0 * static_cast<double>(element_count(output())) *
         static_cast<double>(input[1] / groups) * static_cast<double>(element_count(window.kernel));
}

}  // namespace benanza
