#include "suites/cudnn/ops/graphs.h"

#include <utility>

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/graph/functions.h"
#include "suites/cudnn/primitive/call.h"
#include "suites/cudnn/primitive/library.h"

namespace benanza::cudnn {
namespace {

struct Mode {
  const char* name;
  cudnnBatchNormMode_t mode;
};

/// The persistent mode is believed to have its own kernels for nhwc only.
std::vector<Mode> modes(const BatchNormalization&, const harness::Variant& prototype) {
  std::vector<Mode> found{{"spatial", CUDNN_BATCHNORM_SPATIAL}};
  if (prototype.layout == Layout::nhwc) {
    found.push_back({"spatial_persistent", CUDNN_BATCHNORM_SPATIAL_PERSISTENT});
  }
  return found;
}

std::unique_ptr<harness::Primitive> batch_normalization_primitive(const Request& request,
                                                                  const BatchNormalization& shape,
                                                                  const Mode& mode) {
  TensorDescriptor tensor = make_tensor(dense_output(request.variant));
  TensorDescriptor vectors = make_batch_norm_vectors(tensor);
  return call_of(request, setup_with_fp32_vectors(request.variant),
                 [mode = mode.mode, tensor = std::move(tensor), vectors = std::move(vectors),
                  epsilon = shape.epsilon](const CudnnPrimitive& call) {
                   const float factor = call.scale();
                   BENANZA_CUDNN(cudnnBatchNormalizationForwardInference, call.handle(), mode,
                                 &factor, &zero, tensor.get(), call.input(0), tensor.get(),
                                 call.output(), vectors.get(), call.input(1), call.input(2),
                                 call.input(3), call.input(4), static_cast<double>(epsilon));
                 });
}

}  // namespace

std::vector<GraphCall> batch_normalization_graphs(const BatchNormalization& shape,
                                                  const harness::Variant& variant) {
  if (variant.precision == Precision::int8) {
    throw harness::Unsupported("int8 batchnorm is asked of cuDNN's function alone");
  }
  GraphCall call;
  OperationGraph& graph = call.graph();
  call.inputs = setup_with_fp32_vectors(variant).inputs;
  call.output = dense_output(variant);
  Dims channels(call.output.dims.size(), 1);
  channels[1] = shape.input[1];
  const auto vector = nvidia::tensor_format(Precision::fp32, channels, variant.layout);
  constexpr std::size_t own_operands = 5;
  for (std::size_t index = 0; index < own_operands; ++index) {
    if (index > 0) call.inputs[index] = vector;
    call.bound.push_back(graph.tensor(call.inputs[index]));
  }
  const auto x = call.bound[0];
  const auto scale = call.bound[1];
  const auto bias = call.bound[2];
  const auto mean = call.bound[3];
  const auto variance = call.bound[4];
  // One value per channel.
  const auto sum = graph.intermediate(vector);
  graph.pointwise({CUDNN_POINTWISE_ADD}, variance, graph.scalar(shape.epsilon, channels.size()),
                  sum);
  const auto root = graph.intermediate(vector);
  graph.pointwise({CUDNN_POINTWISE_RSQRT}, sum, OperationGraph::none, root);
  const auto factor = graph.intermediate(vector);
  graph.pointwise({CUDNN_POINTWISE_MUL}, root, scale, factor);
  Chain chain(graph, call.output);
  chain.add([&](auto, auto y) { graph.pointwise({CUDNN_POINTWISE_SUB}, x, mean, y); });
  chain.add(BinaryKind::mul, factor);
  chain.add(BinaryKind::add, bias);
  chain.add(variant.problem.epilogue.steps, [&](const Dims& dims) {
    const auto format = dense(variant.precision, dims, variant.layout);
    call.inputs[call.bound.size()] = format;
    call.bound.push_back(graph.tensor(format));
    return call.bound.back();
  });
  call.bound.push_back(graph.tensor(call.output));
  chain.finish(call.bound.back());
  std::vector<GraphCall> found;
  found.push_back(std::move(call));
  return found;
}

void register_batch_normalization(WayTable& table) {
  const auto layouts = [](const BatchNormalization& shape) { return image_layouts(shape.input); };
  table.add(functions_of<BatchNormalization>(layouts, modes, batch_normalization_primitive));
  table.add(engines_of<BatchNormalization>(layouts, batch_normalization_graphs, Steps::in_graph));
}

}  // namespace benanza::cudnn
