#include <utility>

#include "suites/cudnn/ops/convolution_filter_gradient/convolution_filter_gradient.h"
#include "suites/cudnn/primitive/convolution_call.h"

namespace benanza::cudnn {

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
