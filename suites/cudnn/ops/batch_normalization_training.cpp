#include "suites/cudnn/ops/batch_normalization_training.h"

#include <utility>

#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/api/status.h"
#include "suites/cudnn/primitive/call.h"
#include "suites/cudnn/primitive/library.h"
#include "suites/nvidia/device/check.h"

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

std::vector<GraphCall> as_list(GraphCall call) {
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
  return as_list(std::move(call));
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
  return as_list(std::move(call));
}

namespace {

constexpr cudnnBatchNormOps_t alone = CUDNN_BATCHNORM_OPS_BN;

/// Tensors like the input in the variant's format; vectors in fp32, as the library requires for
/// every precision of the data.
std::vector<nvidia::TensorFormat> training_formats(const std::vector<Dims>& tensors,
                                                   const harness::Variant& variant) {
  std::vector<nvidia::TensorFormat> formats;
  for (const Dims& dims : tensors) {
    formats.push_back(
        dense(dims.size() == 1 ? Precision::fp32 : variant.precision, dims, variant.layout));
  }
  return formats;
}

std::vector<Dims> extents(const std::vector<Operand>& operands) {
  std::vector<Dims> found;
  for (const Operand& operand : operands) found.push_back(operand.dims);
  return found;
}

struct TrainingTensors {
  TrainingTensors(const Dims& input, const harness::Variant& variant)
      : data(make_tensor(dense(variant.precision, input, variant.layout))),
        vectors(make_batch_norm_vectors(data)) {}

  TensorDescriptor data;
  /// Describes scale, bias, statistics and their gradients.
  TensorDescriptor vectors;
};

std::int64_t reserve_size(Library& library, const TrainingTensors& tensors,
                          const BatchNormalizationWay& way) {
  if (!way.extended) return 0;
  std::size_t bytes = 0;
  BENANZA_CUDNN(cudnnGetBatchNormalizationTrainingExReserveSpaceSize, library.handle(), way.mode,
                alone, nullptr, tensors.data.get(), &bytes);
  return static_cast<std::int64_t>(bytes);
}

std::int64_t allowed(Library& library, std::size_t bytes) {
  library.check_workspace(static_cast<std::int64_t>(bytes));
  return static_cast<std::int64_t>(bytes);
}

std::int64_t forward_workspace(Library& library, const TrainingTensors& tensors,
                               const BatchNormalizationWay& way) {
  if (!way.extended) return 0;
  std::size_t bytes = 0;
  BENANZA_CUDNN(cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize, library.handle(),
                way.mode, alone, tensors.data.get(), nullptr, tensors.data.get(),
                tensors.vectors.get(), nullptr, &bytes);
  return allowed(library, bytes);
}

std::int64_t gradient_workspace(Library& library, const TrainingTensors& tensors,
                                const BatchNormalizationWay& way) {
  if (!way.extended) return 0;
  const cudnnTensorDescriptor_t data = tensors.data.get();
  std::size_t bytes = 0;
  BENANZA_CUDNN(cudnnGetBatchNormalizationBackwardExWorkspaceSize, library.handle(), way.mode,
                alone, data, nullptr, data, nullptr, data, tensors.vectors.get(), nullptr, &bytes);
  return allowed(library, bytes);
}

/// The common part of the call and its gradient.
struct TrainingCall {
  TrainingTensors tensors;
  BatchNormalizationWay way;
  nvidia::DeviceMemory reserve;
  float epsilon;
};

struct TrainingFunction : TrainingCall {
  void operator()(const CudnnPrimitive& call) const {
    // No running statistics are requested, so their factor has no effect.
    constexpr double factor = 1;
    const cudnnTensorDescriptor_t data = tensors.data.get();
    if (!way.extended) {
      BENANZA_CUDNN(cudnnBatchNormalizationForwardTraining, call.handle(), way.mode, &one, &zero,
                    data, call.input(0), data, call.result(0), tensors.vectors.get(), call.input(1),
                    call.input(2), factor, nullptr, nullptr, epsilon, call.result(1),
                    call.result(2));
      return;
    }
    BENANZA_CUDNN(cudnnBatchNormalizationForwardTrainingEx, call.handle(), way.mode, alone, &one,
                  &zero, data, call.input(0), nullptr, nullptr, data, call.result(0),
                  tensors.vectors.get(), call.input(1), call.input(2), factor, nullptr, nullptr,
                  epsilon, call.result(1), call.result(2), nullptr, call.workspace(),
                  static_cast<std::size_t>(call.workspace_bytes()), reserve.data(),
                  static_cast<std::size_t>(reserve.size_bytes()));
  }

  /// The library saves the inverse of the standard deviation.
  void convert(nvidia::CallSetup& setup) const {
    setup.to_problem_value = {InverseDeviation{2, epsilon}.to_problem_value()};
  }
};

struct TrainingGradientFunction : TrainingCall {
  /// The library reads the inverse of the standard deviation.
  void convert(nvidia::CallSetup& setup) const {
    constexpr std::size_t variance = 4;
    setup.to_library_value = {InverseDeviation{variance, epsilon}.to_library_value()};
  }

  /// Runs a forward call to fill the reserve space that the gradient reads. The forward results go
  /// to the gradients' memory and are ignored; any vector serves as the bias.
  void restored(const CudnnPrimitive& call) const {
    if (reserve.size_bytes() == 0) return;
    const nvidia::DeviceMemory scratch(forward_workspace(call.library(), tensors, way));
    const cudnnTensorDescriptor_t data = tensors.data.get();
    BENANZA_CUDNN(cudnnBatchNormalizationForwardTrainingEx, call.handle(), way.mode, alone, &one,
                  &zero, data, call.input(1), nullptr, nullptr, data, call.result(0),
                  tensors.vectors.get(), call.input(2), call.input(3), 1.0, nullptr, nullptr,
                  epsilon, call.result(1), call.result(2), nullptr, scratch.data(),
                  static_cast<std::size_t>(scratch.size_bytes()), reserve.data(),
                  static_cast<std::size_t>(reserve.size_bytes()));
    nvidia::synchronize(call.stream());
  }

  void operator()(const CudnnPrimitive& call) const {
    const cudnnTensorDescriptor_t data = tensors.data.get();
    if (!way.extended) {
      BENANZA_CUDNN(cudnnBatchNormalizationBackward, call.handle(), way.mode, &one, &zero, &one,
                    &zero, data, call.input(1), data, call.input(0), data, call.result(0),
                    tensors.vectors.get(), call.input(2), call.result(1), call.result(2), epsilon,
                    call.input(3), call.input(4));
      return;
    }
    BENANZA_CUDNN(cudnnBatchNormalizationBackwardEx, call.handle(), way.mode, alone, &one, &zero,
                  &one, &zero, data, call.input(1), nullptr, nullptr, data, call.input(0), nullptr,
                  nullptr, data, call.result(0), tensors.vectors.get(), call.input(2), nullptr,
                  call.result(1), call.result(2), epsilon, call.input(3), call.input(4), nullptr,
                  call.workspace(), static_cast<std::size_t>(call.workspace_bytes()),
                  reserve.data(), static_cast<std::size_t>(reserve.size_bytes()));
  }
};

template <class Shape>
std::vector<Layout> training_layouts(const Shape& shape) {
  return image_layouts(shape.input);
}

/// `Function`: a TrainingCall. `Shape`: a BatchNormalizationTraining or its gradient.
template <class Shape, class Function>
harness::Family<Library, Shape> training_functions(
    std::int64_t (*workspace)(Library&, const TrainingTensors&, const BatchNormalizationWay&)) {
  return functions_of<Shape>(
      training_layouts<Shape>,
      [](const Shape&, const harness::Variant& prototype) {
        return batch_normalization_training_ways(prototype.precision, prototype.layout);
      },
      [workspace](const Request& request, const Shape& shape, const BatchNormalizationWay& way) {
        const harness::Variant& variant = request.variant;
        TrainingTensors tensors(shape.input, variant);
        nvidia::CallSetup setup{.inputs = training_formats(extents(shape.inputs()), variant),
                                .results = training_formats(shape.results(), variant),
                                .workspace_bytes = workspace(request.library, tensors, way)};
        const std::int64_t reserve = reserve_size(request.library, tensors, way);
        Function function{{std::move(tensors), way, nvidia::DeviceMemory(reserve), shape.epsilon}};
        function.convert(setup);
        return call_of(request, std::move(setup), std::move(function));
      });
}

}  // namespace

std::vector<BatchNormalizationWay> batch_normalization_training_ways(Precision precision,
                                                                     Layout layout) {
  if (precision == Precision::int8) {
    throw harness::Unsupported("cuDNN trains no int8 normalization");
  }
  std::vector<BatchNormalizationWay> ways{
      {.name = "spatial"},
      {.name = "spatial_persistent", .mode = CUDNN_BATCHNORM_SPATIAL_PERSISTENT}};
  if (layout == Layout::nhwc) {
    ways.push_back({.name = "spatial_persistent_ex",
                    .mode = CUDNN_BATCHNORM_SPATIAL_PERSISTENT,
                    .extended = true});
  }
  return ways;
}

void register_batch_normalization_training(WayTable& table) {
  table.add(training_functions<BatchNormalizationTraining, TrainingFunction>(forward_workspace));
  table.add(engines_of<BatchNormalizationTraining>(training_layouts<BatchNormalizationTraining>,
                                                   batch_normalization_training_graphs));
  table.add(
      training_functions<BatchNormalizationGradient, TrainingGradientFunction>(gradient_workspace));
  table.add(engines_of<BatchNormalizationGradient>(training_layouts<BatchNormalizationGradient>,
                                                   batch_normalization_gradient_graphs));
}

}  // namespace benanza::cudnn
