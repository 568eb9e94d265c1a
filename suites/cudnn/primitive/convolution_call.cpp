#include "suites/cudnn/primitive/convolution_call.h"

#include <algorithm>
#include <string>
#include <utility>

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/primitive/call.h"
#include "suites/harness/primitive.h"
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

namespace {

Dims with_kernel(Dims dims, const Window& window) {
  dims.insert(dims.end(), window.kernel.begin(), window.kernel.end());
  return dims;
}

ConvolutionCall call_of(const nvidia::TensorFormat& image, const nvidia::TensorFormat& features,
                        const Dims& weights, const Window& window, const Padding& padding,
                        std::int64_t groups, Layout layout) {
  const Precision precision = image.precision;
  ConvolutionCall call;
  call.image = image;
  if (padding.needs_copy()) call.padded = pad_input(image, layout, padding);
  call.weights = dense(precision, weights, layout);
  call.features = features;
  Dims bias(features.dims.size(), 1);
  bias[1] = features.dims[1];
  call.bias =
      dense(precision == Precision::int8 ? Precision::fp32 : precision, bias, Layout::plain);
  call.pads = at_least_2d(padding.symmetric, 0);
  call.strides = at_least_2d(window.strides, 1);
  call.dilations = at_least_2d(window.dilations, 1);
  call.groups = groups;
  return call;
}

}  // namespace

ConvolutionCall map_convolution(const Convolution& shape, Precision precision, Layout layout) {
  return call_of(dense(precision, shape.input, layout), dense(precision, shape.output(), layout),
                 with_kernel({shape.filters, shape.input[1] / shape.groups}, shape.window),
                 shape.window, split_padding(shape.window, spatial(shape.input)), shape.groups,
                 layout);
}

ConvolutionCall map_convolution(const Deconvolution& shape, Precision precision, Layout layout) {
  return call_of(dense(precision, shape.output(), layout), dense(precision, shape.input, layout),
                 with_kernel({shape.input[1], shape.filters / shape.groups}, shape.window),
                 shape.window, split_output_padding(shape), shape.groups, layout);
}

Padding split_output_padding(const Deconvolution& shape) {
  const Window& window = shape.window;
  const std::size_t rank = window.rank();
  const Dims input = spatial(shape.input);
  const Dims output = window.transposed_output(input);
  Padding padding{.symmetric = Dims(rank), .begin = Dims(rank), .end = Dims(rank)};
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const std::int64_t first = window.pads[axis];
    const std::int64_t reach = (window.kernel[axis] - 1) * window.dilations[axis] + 1;
    // With a pad of p, the library writes `least` - 2 p to `least` + stride - 1 - 2 p pixels.
    const std::int64_t least = (input[axis] - 1) * window.strides[axis] + reach;
    const std::int64_t most = least + window.strides[axis] - 1;
    const std::int64_t pad = std::min(first, most - output[axis] - first);
    if (pad < 0) {
      throw harness::Unsupported(
          "cuDNN does not support output padding >= stride: output padding " +
          std::to_string(output[axis] + first - least) + ", stride " +
          std::to_string(window.strides[axis]));
    }
    const std::int64_t begin = first - pad;
    const std::int64_t written = std::max(output[axis] + begin, least - 2 * pad);
    padding.symmetric[axis] = pad;
    padding.begin[axis] = begin;
    padding.end[axis] = written - output[axis] - begin;
  }
  return padding;
}

ConvolutionDescriptors describe(const ConvolutionCall& call, Layout layout, Precision precision) {
  return {.image = make_tensor(call.image),
          .image_of_library = make_tensor(call.image_of_library()),
          .interior = call.padded ? make_tensor(call.padded->interior.format) : nullptr,
          .weights = make_filter(call.weights, layout),
          .bias = make_tensor(call.bias),
          .features = make_tensor(call.features),
          .convolution =
              make_convolution(call.pads, call.strides, call.dilations, call.groups, precision)};
}

double amplification_of_transforms(const Convolution& shape) {
  constexpr std::int64_t small_filter = 3;
  constexpr double of_small_tiles = 16;
  constexpr double of_large_tiles = 512;
  const bool large = std::any_of(shape.window.kernel.begin(), shape.window.kernel.end(),
                                 [](std::int64_t extent) { return extent > small_filter; });
  return large ? of_large_tiles : of_small_tiles;
}

ConvolutionWindow window_of(const Window& window) {
  const auto half = static_cast<std::ptrdiff_t>(window.pads.size() / 2);
  return {.begin = at_least_2d({window.pads.begin(), window.pads.begin() + half}, 0),
          .end = at_least_2d({window.pads.begin() + half, window.pads.end()}, 0),
          .strides = at_least_2d(window.strides, 1),
          .dilations = at_least_2d(window.dilations, 1)};
}

}  // namespace benanza::cudnn
