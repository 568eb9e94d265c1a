#include "suites/cudnn/primitive/padded_input.h"

#include <utility>

#include "suites/cudnn/constants.h"
#include "suites/cudnn/api/status.h"
#include "suites/nvidia/device/convert.h"

namespace benanza::cudnn {

PaddedShape pad_input(const TensorFormat& input, Layout layout, const Padding& padding) {
  const Dims begin = at_least_2d(padding.begin, 0);
  const Dims end = at_least_2d(padding.end, 0);
  Dims dims = input.dims;
  Dims first(dims.size(), 0);
  for (std::size_t axis = 0; axis < begin.size(); ++axis) {
    dims[axis + 2] += begin[axis] + end[axis];
    first[axis + 2] = begin[axis];
  }
  PaddedShape shape{.whole = dense(input.precision, dims, layout), .interior = {}};
  shape.interior = part_of(shape.whole, first, input.dims);
  return shape;
}

PaddedInput::PaddedInput(CudaContext& cuda, PaddedShape shape, float border)
    : shape_(std::move(shape)),
      interior_(make_tensor(shape_.interior.format)),
      memory_(span_bytes(shape_.whole)) {
  const std::vector<float> values(static_cast<std::size_t>(element_count(shape_.whole.dims)),
                                  border);
  memory_.write(to_storage(values, shape_.whole), cuda.stream());
}

void PaddedInput::copy(cudnnHandle_t handle, const TensorDescriptor& input_tensor,
                       const std::byte* input) {
  BENANZA_CUDNN(cudnnTransformTensor, handle, &one, input_tensor.get(), input, &zero,
                interior_.get(), memory_.data() + shape_.interior.offset_bytes());
}

}  // namespace benanza::cudnn
