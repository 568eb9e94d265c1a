#include "suites/cudnn/ops/activation_gradient/activation_gradient.h"

#include <cmath>
#include <string>

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/primitive/call.h"
#include "suites/cudnn/ways.h"
#include "suites/nvidia/device/device_memory.h"
#include "suites/nvidia/device/tensor_format.h"

namespace benanza::cudnn {
namespace {

class ActivationGradientFunction {
 public:
  ActivationGradientFunction(const harness::Variant& variant, const ActivationGradient& shape,
                             const ActivationCall& call)
      : format_(dense_output(variant)),
        tensor_(make_tensor(format_)),
        activation_(make_activation(call.mode, call.coefficient)),
        of_result_(shape.of_result()),
        is_clipped_(call.mode == CUDNN_ACTIVATION_CLIPPED_RELU),
        ceiling_(static_cast<float>(call.coefficient)) {
    if (!of_result_ || is_clipped_) other_ = nvidia::DeviceMemory(nvidia::span_bytes(format_));
  }

  /// Computes the call's other operand.
  void uploaded(const CudnnPrimitive& call, std::size_t operand, std::span<const float> values) {
    if (operand != 1) return;
    if (is_clipped_) {
      std::vector<float> inputs(values.begin(), values.end());
      for (float& value : inputs) value = clipped_relu_input(value, ceiling_);
      other_.write(nvidia::to_storage(inputs, format_), call.stream());
    } else if (!of_result_) {
      BENANZA_CUDNN(cudnnActivationForward, call.handle(), activation_.get(), &one, tensor_.get(),
                    call.input(1), &zero, tensor_.get(), other_.data());
    }
  }

  void operator()(const CudnnPrimitive& call) const {
    const std::byte* y = of_result_ ? call.input(1) : other_.data();
    const std::byte* x = is_clipped_ ? other_.data() : call.input(1);
    BENANZA_CUDNN(cudnnActivationBackward, call.handle(), activation_.get(), &one, tensor_.get(), y,
                  tensor_.get(), call.input(0), tensor_.get(), x, &zero, tensor_.get(),
                  call.output());
  }

 private:
  nvidia::TensorFormat format_;
  TensorDescriptor tensor_;
  ActivationDescriptor activation_;
  bool of_result_;
  bool is_clipped_;
  float ceiling_;
  /// The input of a clipped relu, or the forward result.
  nvidia::DeviceMemory other_;
};

Ways activation_gradient_ways(Library& library, const ActivationGradient& shape,
                              const harness::Variant& prototype) {
  const ActivationCall one = map_activation_gradient(shape);
  refuse_int8_gradients(prototype);
  return {nvidia::way_of(library, prototype, "activation", [one, shape](const Request& request) {
    return call_of(request, dense_setup(request.variant),
                   ActivationGradientFunction(request.variant, shape, one));
  })};
}

std::vector<Layout> activation_gradient_layouts(const ActivationGradient& shape) {
  return image_layouts(shape.forward.input);
}

}  // namespace

ActivationCall map_activation_gradient(const ActivationGradient& shape) {
  const Activation& function = shape.forward;
  switch (function.kind) {
    case ActivationKind::relu:
      return {CUDNN_ACTIVATION_RELU, 0};
    case ActivationKind::sigmoid:
      return {CUDNN_ACTIVATION_SIGMOID, 0};
    case ActivationKind::tanh:
      return {CUDNN_ACTIVATION_TANH, 0};
    case ActivationKind::elu:
      if (function.alpha < 0) break;
      return {CUDNN_ACTIVATION_ELU, function.alpha};
    case ActivationKind::clip:
      if (function.alpha != 0 || !std::isfinite(function.beta)) break;
      return {CUDNN_ACTIVATION_CLIPPED_RELU, function.beta};
    case ActivationKind::swish:
      return {CUDNN_ACTIVATION_SWISH, function.alpha};
    default:
      break;
  }
  throw harness::Unsupported("cuDNN's call-per-layer functions have no " + std::string(shape.op()));
}

float clipped_relu_input(float y, float ceiling) { return y >= ceiling ? ceiling + 1 : y; }

void register_activation_gradient(WayTable& table) {
  table.add(functions<ActivationGradient>(activation_gradient_layouts, activation_gradient_ways));
  table.add(
      engines_of<ActivationGradient>(activation_gradient_layouts, activation_gradient_graphs));
}

}  // namespace benanza::cudnn
