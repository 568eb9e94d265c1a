#include "suites/cudnn/ops/convolution.h"

#include <algorithm>
#include <string>
#include <utility>

#include "suites/cudnn/graph/functions.h"
#include "suites/cudnn/primitive/convolution_call.h"
#include "suites/harness/int8_scale.h"
#include "suites/harness/primitive.h"

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

namespace {

using Id = OperationGraph::Id;

/// How a graph states an epilogue. Each way has engines that the others lack.
struct Statement {
  Relu relu = Relu::function;
  /// Adds the residual before the bias, as cudnnConvolutionBiasActivationForward does.
  bool residual_first = false;
};

/// The layout whose strides tell the library where everything is. For images of one pixel both
/// layouts are the same memory, but with the strides of nchw engines of several images write the
/// first one alone (9.19, H100).
Layout told_layout(const Convolution& shape, Layout layout) {
  const auto is_pixel = [](const Dims& extents) {
    return std::ranges::all_of(extents, [](std::int64_t extent) { return extent == 1; });
  };
  const bool are_pixels = is_pixel(spatial(shape.input)) && is_pixel(spatial(shape.output())) &&
                          is_pixel(shape.window.kernel);
  return are_pixels && layout == Layout::nchw ? Layout::nhwc : layout;
}

GraphCall convolution_call_of(const Convolution& shape, const harness::Variant& variant,
                              const Statement& statement) {
  const Layout layout = told_layout(shape, variant.layout);
  const ConvolutionCall formats = map_convolution(shape, variant.precision, layout);
  const Epilogue& epilogue = variant.problem.epilogue;
  GraphCall call;
  OperationGraph& graph = call.graph();
  call.transform_amplification = amplification_of_transforms(shape);
  const auto operand = [&](nvidia::TensorFormat format) {
    call.inputs.push_back(std::move(format));
    call.bound.push_back(graph.tensor(call.inputs.back()));
    return call.bound.back();
  };
  call.output = formats.features;
  const Id x = operand(formats.image);
  const Id w = operand(formats.weights);
  Chain chain(graph, formats.features);
  chain.add([&](Id, Id y) { graph.convolve(window_of(shape.window), x, w, y); });
  std::vector<Id> added;
  if (epilogue.bias) {
    added.push_back(operand(nvidia::tensor_format(variant.precision, formats.bias.dims, layout)));
  }
  if (epilogue.residual) added.push_back(operand(formats.features));
  if (statement.residual_first) std::ranges::reverse(added);
  for (const Id tensor : added) chain.add(BinaryKind::add, tensor);
  if (epilogue.activation) chain.add(*epilogue.activation, statement.relu);
  chain.add(epilogue.steps,
            [&](const Dims& dims) { return operand(dense(variant.precision, dims, layout)); });
  call.bound.push_back(graph.tensor(formats.features));
  chain.finish(call.bound.back());
  return call;
}

}  // namespace

std::vector<GraphCall> convolution_graphs(const Convolution& shape,
                                          const harness::Variant& variant) {
  if (variant.precision == Precision::int8) {
    throw harness::Unsupported("int8 convolutions are asked for by cuDNN's functions alone");
  }
  std::vector<GraphCall> found;
  const auto add = [&](std::string prefix, const Statement& statement) {
    found.push_back(convolution_call_of(shape, variant, statement));
    found.back().prefix = std::move(prefix);
  };
  const Epilogue& epilogue = variant.problem.epilogue;
  add("", {});
  if (epilogue.activation && epilogue.activation->kind == ActivationKind::relu) {
    add("max.", {.relu = Relu::maximum});
  }
  if (epilogue.bias && epilogue.residual) add("residual.", {.residual_first = true});
  return found;
}

}  // namespace benanza::cudnn
