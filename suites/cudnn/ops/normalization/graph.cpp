#include "suites/cudnn/ops/normalization/normalization.h"

#include "suites/cudnn/api/shape.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {
namespace {

struct Norm {
  cudnnBackendNormMode_t mode;
  nvidia::TensorFormat tensor;
  /// The format of scale and bias.
  nvidia::TensorFormat vector;
  bool scale;
  bool bias;
  /// The library requires a bias: zeros if the problem has none.
  bool needs_bias;
  float epsilon;
};

GraphCall normalization_call_of(const Norm& norm) {
  GraphCall call;
  // Its result is the bias alone, without the data (cuDNN 9.14 and 9.19, H100, every precision).
  if (norm.mode != CUDNN_INSTANCE_NORM) call.wrong_engines = {5};
  OperationGraph& graph = call.graph();
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
  return call;
}

/// Returns the graph with scale and bias in the precision of the data and, if that is half
/// precision, also with fp32 vectors: models use either, and the library has a different set of
/// engines for each.
std::vector<GraphCall> calls(Norm norm) {
  if (norm.tensor.precision == Precision::int8)
    throw harness::Unsupported("cuDNN normalizes no integers");
  std::vector<GraphCall> found;
  found.push_back(normalization_call_of(norm));
  if ((norm.scale || norm.bias) && storage_type(norm.tensor.precision) != CUDNN_DATA_FLOAT) {
    norm.vector.precision = Precision::fp32;
    found.push_back(normalization_call_of(norm));
    found.back().prefix = "fp32vectors.";
  }
  return found;
}

}  // namespace

nvidia::TensorFormat rows_of_channels(Precision precision, std::int64_t rows, std::int64_t length) {
  return {precision, {rows, length, 1, 1}, {length, 1, length, length}};
}

std::vector<GraphCall> layer_normalization_graphs(const LayerNormalization& shape,
                                                  const harness::Variant& variant) {
  return calls({.mode = shape.root_mean_square ? CUDNN_RMS_NORM : CUDNN_LAYER_NORM,
                .tensor = rows_of_channels(variant.precision, shape.rows, shape.length),
                .vector = rows_of_channels(variant.precision, 1, shape.length),
                .scale = shape.scale,
                .bias = shape.bias,
                .needs_bias = !shape.root_mean_square,
                .epsilon = shape.epsilon});
}

std::vector<GraphCall> instance_normalization_graphs(const InstanceNormalization& shape,
                                                     const harness::Variant& variant) {
  const nvidia::TensorFormat tensor = dense(variant.precision, shape.input, variant.layout);
  Dims vector(tensor.dims.size(), 1);
  vector[1] = tensor.dims[1];
  return calls({.mode = CUDNN_INSTANCE_NORM,
                .tensor = tensor,
                .vector = nvidia::tensor_format(variant.precision, vector, variant.layout),
                .scale = shape.affine,
                .bias = shape.affine,
                .needs_bias = true,
                .epsilon = shape.epsilon});
}

}  // namespace benanza::cudnn
