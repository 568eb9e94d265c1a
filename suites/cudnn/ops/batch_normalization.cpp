#include "suites/cudnn/ops/batch_normalization.h"

#include <utility>

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/graph/functions.h"
#include "suites/cudnn/primitive/cudnn_primitive.h"
#include "suites/cudnn/solvers.h"

namespace benanza::cudnn {
namespace {

/// The input in the variant's format; the four vectors in fp32, which the library requires for
/// every precision of the data.
std::vector<nvidia::TensorFormat> operand_formats(const harness::Variant& variant) {
  std::vector<nvidia::TensorFormat> formats = dense_inputs(variant);
  for (std::size_t i = 1; i < formats.size(); ++i) formats[i].precision = Precision::fp32;
  return formats;
}

class BatchNormalizationPrimitive final : public CudnnPrimitive {
 public:
  BatchNormalizationPrimitive(Library& library, const harness::Variant& variant,
                              cudnnBatchNormMode_t mode, float epsilon)
      : CudnnPrimitive(library, variant, operand_formats(variant)),
        mode_(mode),
        tensor_(make_tensor(dense_output(variant))),
        vectors_(make_batch_norm_vectors(tensor_)),
        epsilon_(epsilon) {}

  void run() override {
    const float factor = scale();
    BENANZA_CUDNN(cudnnBatchNormalizationForwardInference, handle(), mode_, &factor, &zero,
                  tensor_.get(), input(0), tensor_.get(), output(), vectors_.get(), input(1),
                  input(2), input(3), input(4), epsilon_);
  }

 private:
  cudnnBatchNormMode_t mode_;
  TensorDescriptor tensor_;
  TensorDescriptor vectors_;
  double epsilon_;
};

}  // namespace

std::vector<GraphCall> batch_normalization_graphs(const BatchNormalization& shape,
                                                  const harness::Variant& variant) {
  if (variant.precision == Precision::int8) {
    throw harness::Unsupported("int8 batchnorm is asked of cuDNN's function alone");
  }
  GraphCall call;
  OperationGraph& graph = call.graph;
  call.inputs = operand_formats(variant);
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

/// The persistent mode is believed to have its own kernels for nhwc only.
void register_batch_normalization(SolverTable& table) {
  table.add<BatchNormalization>(
      {.layouts = [](const BatchNormalization& shape) { return image_layouts(shape.input); },
       .algorithms = [](Library&, const BatchNormalization&, const harness::Variant& prototype,
                        harness::AlgorithmSet) -> std::vector<harness::Algorithm> {
         if (prototype.layout == Layout::nhwc) return {"spatial", "spatial_persistent"};
         return {"spatial"};
       },
       .create =
           [](Library& library, const BatchNormalization& shape, const harness::Variant& variant) {
             const auto mode = variant.algorithm == "spatial" ? CUDNN_BATCHNORM_SPATIAL
                                                              : CUDNN_BATCHNORM_SPATIAL_PERSISTENT;
             return std::make_unique<BatchNormalizationPrimitive>(library, variant, mode,
                                                                  shape.epsilon);
           },
       .owns = is_call});
  table.add(region_solver<BatchNormalization>(
      [](const BatchNormalization& shape) { return image_layouts(shape.input); },
      batch_normalization_graphs));
}

}  // namespace benanza::cudnn
