#include "suites/cudnn/api/shape.h"

namespace benanza::cudnn {

Dims at_least_4d(const Dims& values, std::int64_t neutral) {
  switch (values.size()) {
    case 0:
      return {neutral, neutral, neutral, neutral};
    case 1:
      return {neutral, values[0], neutral, neutral};
    case 2:
      return {values[0], values[1], neutral, neutral};
    case 3:
      return {values[0], values[1], neutral, values[2]};
    default:
      return values;
  }
}

Dims at_least_2d(const Dims& values, std::int64_t neutral) {
  return values.size() == 1 ? Dims{neutral, values[0]} : values;
}

nvidia::TensorFormat dense(Precision precision, const Dims& dims, Layout layout) {
  return nvidia::tensor_format(precision, at_least_4d(dims), layout);
}

std::vector<Layout> image_layouts(const Dims& dims) {
  if (dims.size() < 3 || dims.size() > 5) return {Layout::plain};
  return {Layout::nchw, Layout::nhwc};
}

Part part_of(const nvidia::TensorFormat& whole, const Dims& begin, const Dims& dims) {
  Part part{.format = whole};
  part.format.dims = dims;
  for (std::size_t axis = 0; axis < begin.size(); ++axis) {
    part.offset += begin[axis] * whole.strides[axis];
  }
  return part;
}

}  // namespace benanza::cudnn
