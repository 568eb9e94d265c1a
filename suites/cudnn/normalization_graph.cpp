#include "cudnn/graph_solver.h"
#include "cudnn/shape.h"
#include "harness/primitive.h"

namespace benanza::cudnn {
namespace {

/// Rows are images of one pixel, a row's places their channels, innermost.
TensorFormat channels(Precision precision, std::int64_t rows, std::int64_t length) {
  return {precision, {rows, length, 1, 1}, {length, 1, length, length}};
}

struct Norm {
  cudnnBackendNormMode_t mode;
  TensorFormat tensor;
  /// Of scale and bias: fp32 whatever the precision of the data.
  TensorFormat vector;
  bool scale;
  bool bias;
  /// The library wants a bias: zeros where the problem has none.
  bool needs_bias;
  float epsilon;
};

std::vector<GraphCall> calls(const Norm& norm) {
  if (norm.tensor.precision == Precision::int8) throw Unsupported("cuDNN normalizes no integers");
  GraphCall call;
  OperationGraph& graph = call.graph;
  call.inputs = {norm.tensor};
  call.output = norm.tensor;
  const OperationGraph::Id x = graph.tensor(norm.tensor);
  call.bound = {x};
  const auto vector = [&](bool given, float neutral) {
    if (!given) return graph.filled(norm.vector, neutral);
    call.inputs.push_back(norm.vector);
    call.bound.push_back(graph.tensor(norm.vector));
    return call.bound.back();
  };
  const OperationGraph::Id scale = vector(norm.scale, 1);
  const bool with_bias = norm.bias || norm.needs_bias;
  const OperationGraph::Id bias = with_bias ? vector(norm.bias, 0) : OperationGraph::none;
  const OperationGraph::Id epsilon = graph.scalar(norm.epsilon, norm.tensor.dims.size());
  const OperationGraph::Id y = graph.tensor(norm.tensor);
  call.bound.push_back(y);

  Descriptor& operation = graph.add(CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR);
  operation.set(CUDNN_ATTR_OPERATION_NORM_FWD_MODE, CUDNN_TYPE_NORM_MODE, norm.mode);
  operation.set(CUDNN_ATTR_OPERATION_NORM_FWD_PHASE, CUDNN_TYPE_NORM_FWD_PHASE,
                CUDNN_NORM_FWD_INFERENCE);
  operation.set(CUDNN_ATTR_OPERATION_NORM_FWD_XDESC, graph.at(x));
  operation.set(CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC, graph.at(scale));
  if (with_bias) operation.set(CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC, graph.at(bias));
  operation.set(CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC, graph.at(epsilon));
  operation.set(CUDNN_ATTR_OPERATION_NORM_FWD_YDESC, graph.at(y));
  std::vector<GraphCall> found;
  found.push_back(std::move(call));
  return found;
}

}  // namespace

GraphCalls normalization_graphs(const LayerNormalization& shape) {
  return [shape](const Variant& variant) {
    return calls({.mode = shape.root_mean_square ? CUDNN_RMS_NORM : CUDNN_LAYER_NORM,
                  .tensor = channels(variant.precision, shape.rows, shape.length),
                  .vector = channels(Precision::fp32, 1, shape.length),
                  .scale = shape.scale,
                  .bias = shape.bias,
                  .needs_bias = !shape.root_mean_square,
                  .epsilon = shape.epsilon});
  };
}

GraphCalls normalization_graphs(const InstanceNormalization& shape) {
  return [shape](const Variant& variant) {
    const TensorFormat tensor = dense(variant.precision, shape.input, variant.layout);
    Dims vector(tensor.dims.size(), 1);
    vector[1] = tensor.dims[1];
    return calls({.mode = CUDNN_INSTANCE_NORM,
                  .tensor = tensor,
                  .vector = tensor_format(Precision::fp32, vector, variant.layout),
                  .scale = shape.affine,
                  .bias = shape.affine,
                  .needs_bias = true,
                  .epsilon = shape.epsilon});
  };
}

}  // namespace benanza::cudnn
