#include "suites/cudnn/ops/deconvolution.h"

#include <algorithm>
#include <utility>

#include "suites/cudnn/graph/functions.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {

DataGradientCalls::DataGradientCalls(const Request&, const ConvolutionCall& call,
                                     ConvolutionDescriptors descriptors,
                                     cudnnConvolutionBwdDataAlgo_t algorithm)
    : descriptors_(std::move(descriptors)), algorithm_(algorithm) {
  if (!call.padded) return;
  larger_ = nvidia::DeviceMemory(nvidia::span_bytes(call.padded->whole));
  interior_bytes_ = call.padded->interior.offset_bytes();
}

void DataGradientCalls::operator()(const CudnnPrimitive& call) const {
  const ConvolutionDescriptors& d = descriptors_;
  const bool direct = d.interior == nullptr;
  const float products = call.scale();
  BENANZA_CUDNN(cudnnConvolutionBackwardData, call.handle(), &products, d.weights.get(),
                call.input(1), d.features.get(), call.input(0), d.convolution.get(), algorithm_,
                call.workspace(), static_cast<std::size_t>(call.workspace_bytes()), &zero,
                d.image_of_library.get(), direct ? call.output() : larger_.data());
  if (direct) return;
  BENANZA_CUDNN(cudnnTransformTensor, call.handle(), &one, d.interior.get(),
                larger_.data() + interior_bytes_, &zero, d.image.get(), call.output());
}

void DataGradient::refuse(const Shape&, const harness::Variant& variant) {
  if (variant.problem.epilogue == Epilogue{}) return;
  throw harness::Unsupported(
      "cuDNN's functions have no transposed convolution with bias, residual or activation in "
      "one call");
}

void register_deconvolution(WayTable& table) {
  table.add(ConvolutionFunctions<DataGradient>::family());
  table.add(engines_of<Deconvolution>(
      [](const Deconvolution& shape) { return image_layouts(shape.input); }, deconvolution_graphs,
      Steps::in_graph));
}

namespace {

/// The window of the convolution that maps our output to our input. It ignores leftover pixels at
/// the end, so pixels added by an output padding smaller than a stride need no pad.
ConvolutionWindow window_to_input(const Window& window) {
  const std::size_t rank = window.rank();
  Dims begin(window.pads.begin(), window.pads.begin() + static_cast<std::ptrdiff_t>(rank));
  Dims end(window.pads.begin() + static_cast<std::ptrdiff_t>(rank), window.pads.end());
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (begin[axis] < 0 || end[axis] <= -window.strides[axis]) {
      throw harness::Unsupported("cuDNN does not support output padding >= stride");
    }
    end[axis] = std::max<std::int64_t>(end[axis], 0);
  }
  return {.begin = at_least_2d(begin, 0),
          .end = at_least_2d(end, 0),
          .strides = at_least_2d(window.strides, 1),
          .dilations = at_least_2d(window.dilations, 1)};
}

}  // namespace

std::vector<GraphCall> deconvolution_graphs(const Deconvolution& shape,
                                            const harness::Variant& variant) {
  const Precision precision = variant.precision;
  if (element_bytes(precision) == 1) {
    throw harness::Unsupported("cuDNN's graphs have no transposed convolution of bytes");
  }
  const ConvolutionWindow window = window_to_input(shape.window);
  const Epilogue& epilogue = variant.problem.epilogue;
  Dims weights{shape.input[1], shape.filters / shape.groups};
  weights.insert(weights.end(), shape.window.kernel.begin(), shape.window.kernel.end());
  GraphCall call;
  OperationGraph& graph = call.graph();
  const auto operand = [&](const Dims& dims) {
    call.inputs.push_back(dense(precision, dims, variant.layout));
    call.bound.push_back(graph.tensor(call.inputs.back()));
    return call.bound.back();
  };
  call.output = dense(precision, shape.output(), variant.layout);
  const auto x = operand(shape.input);
  const auto w = operand(weights);
  Chain chain(graph, call.output);
  chain.add([&](auto, auto y) { graph.convolve_transposed(window, x, w, y); });
  if (epilogue.bias) {
    Dims bias(shape.input.size(), 1);
    bias[1] = shape.filters;
    chain.add(BinaryKind::add, operand(bias));
  }
  if (epilogue.residual) chain.add(BinaryKind::add, operand(shape.output()));
  if (epilogue.activation) chain.add(*epilogue.activation, Relu::maximum);
  chain.add(epilogue.steps, operand);
  call.bound.push_back(graph.tensor(call.output));
  chain.finish(call.bound.back());
  std::vector<GraphCall> found;
  found.push_back(std::move(call));
  return found;
}

}  // namespace benanza::cudnn
