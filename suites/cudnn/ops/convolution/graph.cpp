#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "suites/cudnn/graph/functions.h"
#include "suites/cudnn/ops/convolution/convolution.h"
#include "suites/cudnn/primitive/convolution_call.h"
#include "suites/cudnn/primitive/graph_call.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {
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
