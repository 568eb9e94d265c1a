#include "suites/cudnn/primitive/padding.h"

#include <algorithm>
#include <utility>

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/primitive/call.h"
#include "suites/nvidia/device/tensor_format.h"

namespace benanza::cudnn {

bool Padding::needs_copy() const {
  auto zero = [](std::int64_t pad) { return pad == 0; };
  return !std::ranges::all_of(begin, zero) || !std::ranges::all_of(end, zero);
}

Padding split_padding(const Window& window, const Dims& spatial) {
  const std::size_t rank = window.rank();
  const Dims output = window.output(spatial);
  Padding padding{.symmetric = Dims(rank), .begin = Dims(rank), .end = Dims(rank)};
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const std::int64_t first = window.pads[axis];
    const std::int64_t reach = (window.kernel[axis] - 1) * window.dilations[axis] + 1;
    const std::int64_t stride = window.strides[axis];
    const std::int64_t symmetric_output = (spatial[axis] + 2 * first - reach) / stride + 1;
    if (spatial[axis] + 2 * first >= reach && symmetric_output == output[axis]) {
      padding.symmetric[axis] = first;
      continue;
    }
    const std::int64_t last_tap = (output[axis] - 1) * stride + reach;
    const std::int64_t last = std::max<std::int64_t>(0, last_tap - first - spatial[axis]);
    padding.symmetric[axis] = std::min(first, last);
    padding.begin[axis] = first - padding.symmetric[axis];
    padding.end[axis] = last - padding.symmetric[axis];
  }
  return padding;
}

PaddedShape pad_input(const nvidia::TensorFormat& input, Layout layout, const Padding& padding) {
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

PaddedInput::PaddedInput(nvidia::CudaContext& cuda, PaddedShape shape, float border)
    : shape_(std::move(shape)),
      interior_(make_tensor(shape_.interior.format)),
      memory_(nvidia::span_bytes(shape_.whole)) {
  const std::vector<float> values(static_cast<std::size_t>(element_count(shape_.whole.dims)),
                                  border);
  memory_.write(nvidia::to_storage(values, shape_.whole), cuda.stream());
}

void PaddedInput::copy(cudnnHandle_t handle, const TensorDescriptor& input_tensor,
                       const std::byte* input) {
  BENANZA_CUDNN(cudnnTransformTensor, handle, &one, input_tensor.get(), input, &zero,
                interior_.get(), memory_.data() + shape_.interior.offset_bytes());
}

}  // namespace benanza::cudnn
