#include "suites/cudnn/ops/pooling.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/primitive/call.h"
#include "suites/cudnn/primitive/library.h"

namespace benanza::cudnn {
namespace {

cudnnPoolingMode_t pooling_mode(PoolingMode mode) {
  switch (mode) {
    case PoolingMode::max:
      return CUDNN_POOLING_MAX;
    case PoolingMode::average_include_pad:
      return CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING;
    case PoolingMode::average_exclude_pad:
      return CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING;
  }
  throw std::logic_error("unknown pooling mode");
}

bool dilated(const Window& window) {
  for (std::size_t axis = 0; axis < window.rank(); ++axis) {
    if (window.kernel[axis] > 1 && window.dilations[axis] > 1) return true;
  }
  return false;
}

struct PoolingFunction {
  TensorDescriptor input;
  TensorDescriptor read;
  TensorDescriptor output;
  PoolingDescriptor pooling;
  std::optional<PaddedInput> padded;

  void operator()(const CudnnPrimitive& call) {
    const std::byte* data = call.input(0);
    if (padded) {
      padded->copy(call.handle(), input, data);
      data = padded->data();
    }
    const float factor = call.scale();
    BENANZA_CUDNN(cudnnPoolingForward, call.handle(), pooling.get(), &factor, read.get(), data,
                  &zero, output.get(), call.output());
  }
};

std::unique_ptr<harness::Primitive> pooling_primitive(const Request& request, const Pooling& shape,
                                                      const PoolingWay& way) {
  const PoolingCall call =
      map_pooling(shape, request.variant.precision, request.variant.layout, way);
  PoolingFunction function{
      make_tensor(call.input), make_tensor(call.read_by_library()), make_tensor(call.output),
      make_pooling(call.mode, call.kernel, call.pads, call.strides), std::nullopt};
  if (call.padded) function.padded.emplace(request.library.cuda(), *call.padded, call.border);
  return call_of(request,
                 {.inputs = {call.input},
                  .results = {call.output},
                  .facts = {{"explicit_padding", call.padded.has_value()}}},
                 std::move(function));
}

}  // namespace

PoolingCall map_pooling(const Pooling& shape, Precision precision, Layout layout,
                        const PoolingWay& way) {
  if (dilated(shape.window)) throw harness::Unsupported("cuDNN's pooling has no dilation");
  const Padding padding = split_padding(shape.window, spatial(shape.input));
  const auto rank = static_cast<std::ptrdiff_t>(shape.window.rank());
  const Dims begin(shape.window.pads.begin(), shape.window.pads.begin() + rank);

  PoolingCall call;
  call.input = dense(precision, shape.input, layout);
  if (way.pads_input) call.padded = pad_input(call.input, layout, padding);
  call.output = dense(precision, shape.output(), layout);
  call.mode = pooling_mode(shape.mode);
  call.kernel = at_least_2d(shape.window.kernel, 1);
  call.pads = at_least_2d(way.pads_input ? padding.symmetric : begin, 0);
  call.strides = at_least_2d(shape.window.strides, 1);
  call.border = shape.mode == PoolingMode::max ? -std::numeric_limits<float>::infinity() : 0.0F;
  return call;
}

std::vector<PoolingWay> pooling_ways(const Pooling& shape) {
  if (!split_padding(shape.window, spatial(shape.input)).needs_copy()) {
    return {pooling_direct};
  }
  switch (shape.mode) {
    case PoolingMode::max:
      return {pooling_direct, pooling_padded_input};
    case PoolingMode::average_exclude_pad:
      return {pooling_direct};
    case PoolingMode::average_include_pad:
      return {pooling_padded_input};
  }
  throw std::logic_error("unknown pooling mode");
}

void register_pooling(WayTable& table) {
  table.add(functions_of<Pooling>(
      [](const Pooling& shape) { return image_layouts(shape.input); },
      [](const Pooling& shape, const harness::Variant&) { return pooling_ways(shape); },
      pooling_primitive));
}

}  // namespace benanza::cudnn
