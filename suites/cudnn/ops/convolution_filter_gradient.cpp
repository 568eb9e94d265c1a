#include "suites/cudnn/ops/convolution_filter_gradient.h"

#include <algorithm>
#include <utility>

#include "suites/cudnn/primitive/convolution_call.h"

namespace benanza::cudnn {

FilterGradientCalls::FilterGradientCalls(const Request& request, const ConvolutionCall& call,
                                         ConvolutionDescriptors descriptors,
                                         cudnnConvolutionBwdFilterAlgo_t algorithm)
    : descriptors_(std::move(descriptors)),
      algorithm_(algorithm),
      image_(request.library.cuda(), call) {}

void FilterGradientCalls::operator()(const CudnnPrimitive& call) {
  const ConvolutionDescriptors& d = descriptors_;
  const std::byte* const data = image_.read(call, d);
  BENANZA_CUDNN(cudnnConvolutionBackwardFilter, call.handle(), &one, d.image_of_library.get(), data,
                d.features.get(), call.input(1), d.convolution.get(), algorithm_, call.workspace(),
                static_cast<std::size_t>(call.workspace_bytes()), &zero, d.weights.get(),
                call.output());
}

void refuse_filter_gradient(const ConvolutionFilterGradient& shape,
                            const harness::Variant& variant) {
  if (shape.bias) {
    throw harness::Unsupported("cuDNN sums the gradient of a bias in a call of its own");
  }
  refuse_int8_gradients(variant);
}

void FilterGradient::complete(harness::Traits& traits, const Shape& shape,
                              cudnnConvolutionBwdFilterAlgo_t algorithm) {
  if (algorithm == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD_NONFUSED) {
    traits.rounding_amplification = amplification_of_transforms(shape.forward);
  }
  const bool atomic = algorithm == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0 ||
                      algorithm == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3;
  if (atomic) {
    traits.partial_sums =
        std::max(traits.partial_sums, static_cast<double>(shape.forward.input[0]));
  }
}

void register_convolution_filter_gradient(WayTable& table) {
  table.add(ConvolutionFunctions<FilterGradient>::family());
  table.add(engines_of<ConvolutionFilterGradient>(
      [](const ConvolutionFilterGradient& shape) { return image_layouts(shape.forward.input); },
      filter_gradient_graphs));
}

std::vector<GraphCall> filter_gradient_graphs(const ConvolutionFilterGradient& shape,
                                              const harness::Variant& variant) {
  refuse_filter_gradient(shape, variant);
  const Convolution& forward = shape.forward;
  const ConvolutionCall formats = map_convolution(forward, variant.precision, variant.layout);
  GraphCall call;
  OperationGraph& graph = call.graph();
  call.transform_amplification = amplification_of_transforms(forward);
  // Its kernels are those of winograd_nonfused (cuDNN 9.14 on an H200), with the same error.
  call.silent_transforms = {17};
  // engine61 of depthwise convolutions at fp16, with hundreds of slices, is off by several units of
  // the last place (cuDNN 9.14 on an H200); at fp32 it is not.
  call.adds_slices = true;
  call.inputs = {formats.image, formats.features};
  call.output = formats.weights;
  const auto x = graph.tensor(formats.image);
  const auto dy = graph.tensor(formats.features);
  const auto dw = graph.tensor(formats.weights);
  call.bound = {x, dy, dw};
  graph.filter_gradient(window_of(forward.window), x, dy, dw);
  std::vector<GraphCall> found;
  found.push_back(std::move(call));
  return found;
}

}  // namespace benanza::cudnn
