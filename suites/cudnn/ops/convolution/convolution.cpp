#include "suites/cudnn/ops/convolution/convolution.h"

#include <string>
#include <utility>

namespace benanza::cudnn {

ForwardCalls::ForwardCalls(const Request& request, const ConvolutionCall& call,
                           ConvolutionDescriptors descriptors, cudnnConvolutionFwdAlgo_t algorithm)
    : is_fused_(request.variant.problem.epilogue != Epilogue{}),
      descriptors_(std::move(descriptors)),
      algorithm_(algorithm),
      bias_(bias_operand(request.variant.problem)),
      residual_(residual_operand(request.variant.problem)),
      // A relu's coefficient is its upper bound; identity takes none.
      activation_(make_activation(fused_activation(request.variant.problem.epilogue),
                                  std::numeric_limits<double>::max())),
      image_(request.library.cuda(), call) {
  if (!is_fused_ || bias_) return;
  no_bias_ = nvidia::DeviceMemory(nvidia::span_bytes(call.bias));
  no_bias_.fill(0, request.library.cuda().stream());
}

void ForwardCalls::operator()(const CudnnPrimitive& call) {
  const ConvolutionDescriptors& d = descriptors_;
  const std::byte* const data = image_.read(call, d);
  const auto bytes = static_cast<std::size_t>(call.workspace_bytes());
  const float products = call.scale();
  if (!is_fused_) {
    BENANZA_CUDNN(cudnnConvolutionForward, call.handle(), &products, d.image_of_library.get(), data,
                  d.weights.get(), call.input(1), d.convolution.get(), algorithm_, call.workspace(),
                  bytes, &zero, d.features.get(), call.output());
    return;
  }
  // Without a residual: a factor of 0, and any tensor of the right shape.
  BENANZA_CUDNN(cudnnConvolutionBiasActivationForward, call.handle(), &products,
                d.image_of_library.get(), data, d.weights.get(), call.input(1), d.convolution.get(),
                algorithm_, call.workspace(), bytes, residual_ ? &one : &zero, d.features.get(),
                residual_ ? call.input(*residual_) : call.output(), d.bias.get(),
                bias_ ? call.input(*bias_) : no_bias_.data(), activation_.get(), d.features.get(),
                call.output());
}

/// The library scales the products but neither bias nor residual, so both are stored scaled.
nvidia::CallSetup Forward::setup(const ConvolutionCall& call, const harness::Variant& variant) {
  const Problem& problem = variant.problem;
  nvidia::CallSetup setup{.inputs = {call.image, call.weights}, .results = {call.features}};
  const float scale = variant.precision == Precision::int8 ? harness::int8_scale(problem) : 1.0F;
  const auto add = [&](std::optional<std::size_t> operand, const nvidia::TensorFormat& format) {
    if (!operand) return;
    setup.inputs.push_back(format);
    if (scale == 1) return;
    setup.to_library_value.push_back({*operand, [scale](float value) { return value * scale; }});
  };
  add(bias_operand(problem), call.bias);
  add(residual_operand(problem), call.features);
  return setup;
}

cudnnActivationMode_t fused_activation(const Epilogue& epilogue) {
  if (!epilogue.activation) return CUDNN_ACTIVATION_IDENTITY;
  if (epilogue.activation->kind == ActivationKind::relu) return CUDNN_ACTIVATION_RELU;
  throw harness::Unsupported("cudnnConvolutionBiasActivationForward has no " +
                             std::string(epilogue.activation->op()));
}

void register_convolution(WayTable& table) {
  table.add(ConvolutionFunctions<Forward>::family());
  table.add(
      engines_of<Convolution>([](const Convolution& shape) { return image_layouts(shape.input); },
                              convolution_graphs, Steps::in_graph));
}

}  // namespace benanza::cudnn
