#include "core/problem/ops/convolution.h"

namespace benanza {

void Convolution::map(KeyFields& fields) {
  fields.dims("", input);
  fields.require(input.size() >= 3, "an input of n, c and at least one spatial axis");
  window.map(fields, input, &filters);
  fields.integer("g", groups);
  if (fields.reader() != nullptr) {
    fields.require(groups >= 1 && input[1] % groups == 0 && filters >= 1 && filters % groups == 0,
                   "groups that divide channels and filters");
  }
  fields.flag(is_unsigned_word, unsigned_data);
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
