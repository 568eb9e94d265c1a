#include "suites/nvidia/device/tensor_format.h"

#include <stdexcept>

namespace benanza::nvidia {

Dims tensor_strides(const Dims& dims, Layout layout) {
  if (layout == Layout::any) throw std::invalid_argument("layout any has no fixed strides");
  const std::size_t rank = dims.size();
  Dims strides(rank);
  std::int64_t step = 1;
  const bool channel_last = layout == Layout::nhwc && rank > 2;
  if (channel_last) {
    strides[1] = step;
    step *= dims[1];
  }
  for (std::size_t axis = rank; axis-- > 0;) {
    if (channel_last && axis == 1) continue;
    strides[axis] = step;
    step *= dims[axis];
  }
  return strides;
}

TensorFormat tensor_format(Precision precision, const Dims& dims, Layout layout) {
  return {.precision = precision, .dims = dims, .strides = tensor_strides(dims, layout)};
}

std::int64_t span_elements(const TensorFormat& format) {
  std::int64_t last = 0;
  for (std::size_t axis = 0; axis < format.dims.size(); ++axis) {
    last += (format.dims[axis] - 1) * format.strides[axis];
  }
  return last + 1;
}

std::int64_t span_bytes(const TensorFormat& format) {
  return span_elements(format) * element_bytes(format.precision);
}

}  // namespace benanza::nvidia
