#include <utility>

#include "suites/cudnn/graph/functions.h"
#include "suites/cudnn/ops/convolution/convolution.h"
#include "suites/cudnn/primitive/graph_solver.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {
namespace {

using Id = OperationGraph::Id;

GraphCall call_of(const Convolution& shape, const harness::Variant& variant, Relu relu) {
  const ConvolutionCall formats = map_convolution(shape, variant.precision, variant.layout);
  const Epilogue& epilogue = variant.problem.epilogue;
  GraphCall call;
  OperationGraph& graph = call.graph;
  call.transform_amplification = amplification_of_transforms(shape);
  const auto operand = [&](nvidia::TensorFormat format) {
    call.inputs.push_back(std::move(format));
    call.bound.push_back(graph.tensor(call.inputs.back()));
    return call.bound.back();
  };
  call.output = formats.output;
  const Id x = operand(formats.input);
  const Id w = operand(formats.weights);
  Chain chain(graph, formats.output);
  chain.add([&](Id, Id y) { graph.convolve(window_of(shape.window), x, w, y); });
  if (epilogue.bias) {
    chain.add(BinaryKind::add,
              operand(nvidia::tensor_format(variant.precision, formats.bias.dims, variant.layout)));
  }
  if (epilogue.residual) chain.add(BinaryKind::add, operand(formats.output));
  if (epilogue.activation) chain.add(*epilogue.activation, relu);
  chain.add(epilogue.steps, [&](const Dims& dims) {
    return operand(dense(variant.precision, dims, variant.layout));
  });
  call.bound.push_back(graph.tensor(formats.output));
  chain.finish(call.bound.back());
  return call;
}

}  // namespace

ConvolutionWindow window_of(const Window& window) {
  const auto half = static_cast<std::ptrdiff_t>(window.pads.size() / 2);
  return {.begin = at_least_2d({window.pads.begin(), window.pads.begin() + half}, 0),
          .end = at_least_2d({window.pads.begin() + half, window.pads.end()}, 0),
          .strides = at_least_2d(window.strides, 1),
          .dilations = at_least_2d(window.dilations, 1)};
}

std::vector<GraphCall> convolution_graphs(const Convolution& shape,
                                          const harness::Variant& variant) {
  if (variant.precision == Precision::int8) {
    throw harness::Unsupported("int8 convolutions are asked for by cuDNN's functions alone");
  }
  std::vector<GraphCall> found;
  found.push_back(call_of(shape, variant, Relu::function));
  const auto& activation = variant.problem.epilogue.activation;
  if (activation && activation->kind == ActivationKind::relu) {
    found.push_back(call_of(shape, variant, Relu::maximum));
    found.back().prefix = "max.";
  }
  return found;
}

}  // namespace benanza::cudnn
