#include "suites/cudnn/ops/graphs.h"

#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/ops/normalization/normalization.h"
#include "suites/cudnn/primitive/library.h"

namespace benanza::cudnn {
namespace {

GraphCall normalization_gradient(const LayerNormalizationGradient& shape, Precision precision,
                                 Precision of_vectors) {
  const LayerNormalization& forward = shape.forward;
  const bool centred = !forward.root_mean_square;
  const auto tensor = rows_of_channels(precision, forward.rows, forward.length);
  const auto vector = rows_of_channels(of_vectors, 1, forward.length);
  const auto statistic = rows_of_channels(Precision::fp32, forward.rows, 1);
  GraphCall call;
  OperationGraph& graph = call.graph();
  const auto operand = [&](const nvidia::TensorFormat& format) {
    call.inputs.push_back(format);
    call.bound.push_back(graph.tensor(format));
    return call.bound.back();
  };
  const auto gradient_of = [&](bool wanted) {
    const auto id = graph.tensor(vector);
    (wanted ? call.further_results : call.ignored_results).push_back({id, vector});
    return id;
  };
  const auto dy = operand(tensor);
  const auto x = operand(tensor);
  const auto scale = forward.scale ? operand(vector) : graph.filled(vector, 1);
  const auto mean = centred ? operand(statistic) : OperationGraph::none;
  call.operand_deviation = {.index = call.inputs.size(), .epsilon = forward.epsilon};
  const auto inverse_deviation = operand(statistic);
  call.output = tensor;
  const auto dx = graph.tensor(tensor);
  call.bound.push_back(dx);
  const auto dscale = gradient_of(forward.scale);

  Descriptor& operation = graph.add(CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR);
  operation.set(CUDNN_ATTR_OPERATION_NORM_BWD_MODE, CUDNN_TYPE_NORM_MODE,
                centred ? CUDNN_LAYER_NORM : CUDNN_RMS_NORM);
  operation.set(CUDNN_ATTR_OPERATION_NORM_BWD_XDESC, graph.at(x));
  operation.set(CUDNN_ATTR_OPERATION_NORM_BWD_DYDESC, graph.at(dy));
  operation.set(CUDNN_ATTR_OPERATION_NORM_BWD_SCALE_DESC, graph.at(scale));
  if (centred) operation.set(CUDNN_ATTR_OPERATION_NORM_BWD_MEAN_DESC, graph.at(mean));
  operation.set(CUDNN_ATTR_OPERATION_NORM_BWD_INV_VARIANCE_DESC, graph.at(inverse_deviation));
  operation.set(CUDNN_ATTR_OPERATION_NORM_BWD_DSCALE_DESC, graph.at(dscale));
  if (centred || forward.bias) {
    operation.set(CUDNN_ATTR_OPERATION_NORM_BWD_DBIAS_DESC, graph.at(gradient_of(forward.bias)));
  }
  operation.set(CUDNN_ATTR_OPERATION_NORM_BWD_DXDESC, graph.at(dx));
  return call;
}

}  // namespace

std::vector<GraphCall> layer_normalization_gradient_graphs(const LayerNormalizationGradient& shape,
                                                           const harness::Variant& variant) {
  if (variant.precision == Precision::int8) {
    throw harness::Unsupported("cuDNN has no int8 gradients");
  }
  std::vector<GraphCall> found;
  found.push_back(normalization_gradient(shape, variant.precision, variant.precision));
  if (storage_type(variant.precision) != CUDNN_DATA_FLOAT) {
    found.push_back(normalization_gradient(shape, variant.precision, Precision::fp32));
    found.back().prefix = "fp32vectors.";
  }
  return found;
}

void register_layer_normalization_gradient(WayTable& table) {
  table.add(engines_of<LayerNormalizationGradient>(
      [](const LayerNormalizationGradient&) { return std::vector{Layout::plain}; },
      layer_normalization_gradient_graphs));
}

}  // namespace benanza::cudnn
