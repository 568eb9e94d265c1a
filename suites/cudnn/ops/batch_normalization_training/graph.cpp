#include <utility>

#include "suites/cudnn/api/shape.h"
#include "suites/cudnn/ops/batch_normalization_training/batch_normalization_training.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {
namespace {

using Id = OperationGraph::Id;

struct TrainingFormats {
  nvidia::TensorFormat tensor;
  /// One value per channel.
  nvidia::TensorFormat vector;
};

TrainingFormats training_formats_of(const Dims& input, const harness::Variant& variant) {
  if (variant.precision == Precision::int8) {
    throw harness::Unsupported("cuDNN trains no int8 normalization");
  }
  TrainingFormats formats{.tensor = dense(variant.precision, input, variant.layout), .vector = {}};
  Dims channels(formats.tensor.dims.size(), 1);
  channels[1] = input[1];
  formats.vector = nvidia::tensor_format(Precision::fp32, channels, variant.layout);
  return formats;
}

Id operand(GraphCall& call, const nvidia::TensorFormat& format) {
  call.inputs.push_back(format);
  call.bound.push_back(call.graph().tensor(format));
  return call.bound.back();
}

Id first_result(GraphCall& call, const nvidia::TensorFormat& format) {
  call.output = format;
  call.bound.push_back(call.graph().tensor(format));
  return call.bound.back();
}

Id further_result(GraphCall& call, const nvidia::TensorFormat& format) {
  call.further_results.push_back({call.graph().tensor(format), format});
  return call.further_results.back().id;
}

std::vector<GraphCall> only(GraphCall call) {
  std::vector<GraphCall> found;
  found.push_back(std::move(call));
  return found;
}

}  // namespace

std::vector<GraphCall> batch_normalization_training_graphs(const BatchNormalizationTraining& shape,
                                                           const harness::Variant& variant) {
  const auto [tensor, vector] = training_formats_of(shape.input, variant);
  GraphCall call;
  OperationGraph& graph = call.graph();
  const Id x = operand(call, tensor);
  const Id scale = operand(call, vector);
  const Id bias = operand(call, vector);
  const Id epsilon = graph.scalar(shape.epsilon, tensor.dims.size());
  const Id y = first_result(call, tensor);
  const Id mean = further_result(call, vector);
  const Id inverse_deviation = further_result(call, vector);
  call.result_deviation = {.index = 2, .epsilon = shape.epsilon};
  Descriptor& operation = graph.add(CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR);
  operation.set(CUDNN_ATTR_OPERATION_NORM_FWD_MODE, CUDNN_TYPE_NORM_MODE, CUDNN_BATCH_NORM);
  operation.set(CUDNN_ATTR_OPERATION_NORM_FWD_PHASE, CUDNN_TYPE_NORM_FWD_PHASE,
                CUDNN_NORM_FWD_TRAINING);
  operation.set(CUDNN_ATTR_OPERATION_NORM_FWD_XDESC, graph.at(x));
  operation.set(CUDNN_ATTR_OPERATION_NORM_FWD_MEAN_DESC, graph.at(mean));
  operation.set(CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC, graph.at(inverse_deviation));
  operation.set(CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC, graph.at(scale));
  operation.set(CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC, graph.at(bias));
  operation.set(CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC, graph.at(epsilon));
  operation.set(CUDNN_ATTR_OPERATION_NORM_FWD_YDESC, graph.at(y));
  return only(std::move(call));
}

std::vector<GraphCall> batch_normalization_gradient_graphs(const BatchNormalizationGradient& shape,
                                                           const harness::Variant& variant) {
  const auto [tensor, vector] = training_formats_of(shape.input, variant);
  GraphCall call;
  OperationGraph& graph = call.graph();
  const Id dy = operand(call, tensor);
  const Id x = operand(call, tensor);
  const Id scale = operand(call, vector);
  const Id mean = operand(call, vector);
  call.operand_deviation = {.index = call.inputs.size(), .epsilon = shape.epsilon};
  const Id inverse_deviation = operand(call, vector);
  const Id dx = first_result(call, tensor);
  const Id dscale = further_result(call, vector);
  const Id dbias = further_result(call, vector);
  Descriptor& operation = graph.add(CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR);
  operation.set(CUDNN_ATTR_OPERATION_NORM_BWD_MODE, CUDNN_TYPE_NORM_MODE, CUDNN_BATCH_NORM);
  operation.set(CUDNN_ATTR_OPERATION_NORM_BWD_XDESC, graph.at(x));
  operation.set(CUDNN_ATTR_OPERATION_NORM_BWD_DYDESC, graph.at(dy));
  operation.set(CUDNN_ATTR_OPERATION_NORM_BWD_SCALE_DESC, graph.at(scale));
  operation.set(CUDNN_ATTR_OPERATION_NORM_BWD_MEAN_DESC, graph.at(mean));
  operation.set(CUDNN_ATTR_OPERATION_NORM_BWD_INV_VARIANCE_DESC, graph.at(inverse_deviation));
  operation.set(CUDNN_ATTR_OPERATION_NORM_BWD_DSCALE_DESC, graph.at(dscale));
  operation.set(CUDNN_ATTR_OPERATION_NORM_BWD_DBIAS_DESC, graph.at(dbias));
  operation.set(CUDNN_ATTR_OPERATION_NORM_BWD_DXDESC, graph.at(dx));
  return only(std::move(call));
}

}  // namespace benanza::cudnn
