#include "suites/cudnn/ops/pooling.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/primitive/cudnn_primitive.h"
#include "suites/cudnn/solvers.h"

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

class PoolingPrimitive final : public CudnnPrimitive {
 public:
  PoolingPrimitive(Library& library, const harness::Variant& variant, const PoolingCall& call)
      : CudnnPrimitive(library, variant, {call.input}, call.output),
        input_(make_tensor(call.input)),
        read_(make_tensor(call.read_by_library())),
        output_(make_tensor(call.output)),
        pooling_(make_pooling(call.mode, call.kernel, call.pads, call.strides)) {
    if (call.padded) padded_.emplace(library.cuda(), *call.padded, call.border);
  }

  void run() override {
    const std::byte* data = input(0);
    if (padded_) {
      padded_->copy(handle(), input_, data);
      data = padded_->data();
    }
    const float factor = scale();
    BENANZA_CUDNN(cudnnPoolingForward, handle(), pooling_.get(), &factor, read_.get(), data, &zero,
                  output_.get(), output());
  }

 protected:
  Facts library_facts() override { return {{"explicit_padding", padded_.has_value()}}; }

 private:
  TensorDescriptor input_;
  TensorDescriptor read_;
  TensorDescriptor output_;
  PoolingDescriptor pooling_;
  std::optional<PaddedInput> padded_;
};

}  // namespace

PoolingCall map_pooling(const Pooling& shape, Precision precision, Layout layout,
                        std::string_view algorithm) {
  if (dilated(shape.window)) throw harness::Unsupported("cuDNN's pooling has no dilation");
  const Padding padding = split_padding(shape.window, spatial(shape.input));
  const auto rank = static_cast<std::ptrdiff_t>(shape.window.rank());
  const bool direct = algorithm == pooling_direct;
  const Dims begin(shape.window.pads.begin(), shape.window.pads.begin() + rank);

  PoolingCall call;
  call.input = dense(precision, shape.input, layout);
  if (!direct) call.padded = pad_input(call.input, layout, padding);
  call.output = dense(precision, shape.output(), layout);
  call.mode = pooling_mode(shape.mode);
  call.kernel = at_least_2d(shape.window.kernel, 1);
  call.pads = at_least_2d(direct ? begin : padding.symmetric, 0);
  call.strides = at_least_2d(shape.window.strides, 1);
  call.border = shape.mode == PoolingMode::max ? -std::numeric_limits<float>::infinity() : 0.0F;
  return call;
}

std::vector<harness::Algorithm> pooling_algorithms(const Pooling& shape) {
  if (!split_padding(shape.window, spatial(shape.input)).needs_copy()) {
    return {harness::Algorithm(pooling_direct)};
  }
  switch (shape.mode) {
    case PoolingMode::max:
      return {harness::Algorithm(pooling_direct), harness::Algorithm(pooling_padded_input)};
    case PoolingMode::average_exclude_pad:
      return {harness::Algorithm(pooling_direct)};
    case PoolingMode::average_include_pad:
      return {harness::Algorithm(pooling_padded_input)};
  }
  throw std::logic_error("unknown pooling mode");
}

void register_pooling(SolverTable& table) {
  table.add<Pooling>(
      {.layouts = [](const Pooling& shape) { return image_layouts(shape.input); },
       .algorithms = [](Library&, const Pooling& shape, const harness::Variant&,
                        harness::AlgorithmSet) -> std::vector<harness::Algorithm> {
         return pooling_algorithms(shape);
       },
       .create =
           [](Library& library, const Pooling& shape, const harness::Variant& variant) {
             return std::make_unique<PoolingPrimitive>(
                 library, variant,
                 map_pooling(shape, variant.precision, variant.layout, variant.algorithm));
           }});
}

}  // namespace benanza::cudnn
