#include "core/problem/ops/deconvolution.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "core/problem/ops/convolution.h"

namespace benanza {

void Deconvolution::map(KeyFields& fields) {
  fields.dims("", input);
  fields.require(input.size() >= 3, "an input of n, c and at least one spatial axis");
  window.map_unplaced(fields, input, &filters);
  fields.integer("g", groups);
  if (fields.reader() != nullptr) {
    fields.require(groups >= 1 && input[1] % groups == 0 && filters >= 1 && filters % groups == 0,
                   "groups that divide channels and filters");
  }
  fields.flag(is_unsigned_word, unsigned_data);
  if (fields.reader() == nullptr) return;
  const Dims begins(window.pads.begin(),
                    window.pads.begin() + static_cast<std::ptrdiff_t>(window.rank()));
  fields.require(std::ranges::all_of(begins, [](std::int64_t pad) { return pad >= 0; }),
                 "begin pads of at least 0");
  const Dims extents = window.transposed_output(spatial(input));
  fields.require(std::ranges::all_of(extents, [](std::int64_t extent) { return extent >= 1; }),
                 "pads that leave an output");
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
      std::ranges::any_of(window.strides, [](std::int64_t stride) { return stride < 1; })) {
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
