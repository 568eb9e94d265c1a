#include "suites/cudnn/api/status.h"
#include "suites/cudnn/primitive/call.h"

namespace benanza::cudnn {
namespace {

/// Reads the gradient of the output, the input, and the forward call's result.
struct LrnGradientCall {
  TensorDescriptor tensor;
  LrnDescriptor lrn;
  nvidia::DeviceMemory result;

  void placed(const CudnnPrimitive& call) { result.fill(0, call.stream()); }
  void uploaded(const CudnnPrimitive& call, std::size_t operand) const {
    if (operand != 1) return;
    BENANZA_CUDNN(cudnnLRNCrossChannelForward, call.handle(), lrn.get(),
                  CUDNN_LRN_CROSS_CHANNEL_DIM1, &one, tensor.get(), call.input(1), &zero,
                  tensor.get(), result.data());
  }
  void operator()(const CudnnPrimitive& call) const {
    BENANZA_CUDNN(cudnnLRNCrossChannelBackward, call.handle(), lrn.get(),
                  CUDNN_LRN_CROSS_CHANNEL_DIM1, &one, tensor.get(), result.data(), tensor.get(),
                  call.input(0), tensor.get(), call.input(1), &zero, tensor.get(), call.output());
  }
};

}  // namespace

void register_lrn_gradient(WayTable& table) {
  table.add(function<LrnGradient>(
      "cross_channel", [](const LrnGradient& shape) { return image_layouts(shape.forward.input); },
      [](const Request& request, const LrnGradient& shape) {
        const Lrn& forward = shape.forward;
        const nvidia::TensorFormat format = dense_output(request.variant);
        return call_of(
            request, dense_setup(request.variant),
            LrnGradientCall{make_tensor(format),
                            make_lrn(forward.size, forward.alpha, forward.beta, forward.k),
                            nvidia::DeviceMemory(nvidia::span_bytes(format))});
      },
      [](const LrnGradient&, const harness::Variant& variant) { refuse_int8_gradients(variant); }));
}

}  // namespace benanza::cudnn
