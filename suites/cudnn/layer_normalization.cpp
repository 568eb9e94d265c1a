#include "cudnn/graph_solver.h"
#include "harness/primitive.h"

namespace benanza::cudnn {
namespace {

/// Rows are images of one pixel, a row's places their channels, innermost.
TensorFormat channels(Precision precision, std::int64_t rows, std::int64_t length) {
  return {precision, {rows, length, 1, 1}, {length, 1, length, length}};
}

std::vector<GraphCall> calls(const LayerNormalization& shape, const Variant& variant) {
  if (variant.precision == Precision::int8) throw Unsupported("cuDNN normalizes no integers");
  GraphCall call;
  OperationGraph& graph = call.graph;
  const TensorFormat rows = channels(variant.precision, shape.rows, shape.length);
  // fp32 whatever the precision of the data.
  const TensorFormat places = channels(Precision::fp32, 1, shape.length);
  call.inputs = {rows};
  call.output = rows;
  const OperationGraph::Id x = graph.tensor(rows);
  call.bound = {x};
  const auto vector = [&](bool given, float neutral) {
    if (!given) return graph.filled(places, neutral);
    call.inputs.push_back(places);
    call.bound.push_back(graph.tensor(places));
    return call.bound.back();
  };
  const OperationGraph::Id scale = vector(shape.scale, 1);
  const bool has_bias = !shape.root_mean_square || shape.bias;
  const OperationGraph::Id bias = has_bias ? vector(shape.bias, 0) : -1;
  const OperationGraph::Id epsilon = graph.scalar(shape.epsilon, rows.dims.size());
  const OperationGraph::Id y = graph.tensor(rows);
  call.bound.push_back(y);

  Descriptor& norm = graph.add(CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR);
  norm.set(CUDNN_ATTR_OPERATION_NORM_FWD_MODE, CUDNN_TYPE_NORM_MODE,
           shape.root_mean_square ? CUDNN_RMS_NORM : CUDNN_LAYER_NORM);
  norm.set(CUDNN_ATTR_OPERATION_NORM_FWD_PHASE, CUDNN_TYPE_NORM_FWD_PHASE,
           CUDNN_NORM_FWD_INFERENCE);
  norm.set(CUDNN_ATTR_OPERATION_NORM_FWD_XDESC, graph.at(x));
  norm.set(CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC, graph.at(scale));
  if (has_bias) norm.set(CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC, graph.at(bias));
  norm.set(CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC, graph.at(epsilon));
  norm.set(CUDNN_ATTR_OPERATION_NORM_FWD_YDESC, graph.at(y));
  std::vector<GraphCall> found;
  found.push_back(std::move(call));
  return found;
}

}  // namespace

GraphCalls normalization_graphs(const LayerNormalization& shape) {
  return [shape](const Variant& variant) { return calls(shape, variant); };
}

std::unique_ptr<Solver> solver(const LayerNormalization& shape) {
  return graph_solver({Layout::plain}, normalization_graphs(shape));
}

}  // namespace benanza::cudnn
