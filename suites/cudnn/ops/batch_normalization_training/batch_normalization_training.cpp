#include "suites/cudnn/ops/batch_normalization_training/batch_normalization_training.h"

#include <stdexcept>
#include <string>
#include <utility>

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/primitive/several_results.h"
#include "suites/cudnn/solvers.h"
#include "suites/nvidia/device/check.h"

namespace benanza::cudnn {
namespace {

constexpr cudnnBatchNormOps_t alone = CUDNN_BATCHNORM_OPS_BN;

/// Tensors like the input in the variant's format; vectors in fp32, as the library requires for
/// every precision of the data.
std::vector<nvidia::TensorFormat> formats_of(const std::vector<Dims>& tensors,
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

std::int64_t checked(Library& library, std::size_t bytes) {
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
  return checked(library, bytes);
}

std::int64_t gradient_workspace(Library& library, const TrainingTensors& tensors,
                                const BatchNormalizationWay& way) {
  if (!way.extended) return 0;
  const cudnnTensorDescriptor_t data = tensors.data.get();
  std::size_t bytes = 0;
  BENANZA_CUDNN(cudnnGetBatchNormalizationBackwardExWorkspaceSize, library.handle(), way.mode,
                alone, data, nullptr, data, nullptr, data, tensors.vectors.get(), nullptr, &bytes);
  return checked(library, bytes);
}

/// The common part of the call and its gradient.
class TrainingCall : public SeveralResults {
 public:
  /// `shape` is a BatchNormalizationTraining or its gradient.
  template <class Shape>
  TrainingCall(Library& library, const harness::Variant& variant, const Shape& shape,
               TrainingTensors tensors, BatchNormalizationWay way, std::int64_t workspace_bytes)
      : SeveralResults(library, variant, formats_of(extents(shape.inputs()), variant),
                       formats_of(shape.results(), variant), workspace_bytes),
        tensors_(std::move(tensors)),
        way_(way),
        reserve_(reserve_size(library, tensors_, way)),
        epsilon_(shape.epsilon) {}

 protected:
  TrainingTensors tensors_;
  BatchNormalizationWay way_;
  nvidia::DeviceMemory reserve_;
  float epsilon_;
};

class TrainingPrimitive final : public TrainingCall {
 public:
  using TrainingCall::TrainingCall;

  void run() override {
    // No running statistics are requested, so their factor has no effect.
    constexpr double factor = 1;
    const cudnnTensorDescriptor_t data = tensors_.data.get();
    if (!way_.extended) {
      BENANZA_CUDNN(cudnnBatchNormalizationForwardTraining, handle(), way_.mode, &one, &zero, data,
                    input(0), data, result(0), tensors_.vectors.get(), input(1), input(2), factor,
                    nullptr, nullptr, epsilon_, result(1), result(2));
      return;
    }
    BENANZA_CUDNN(cudnnBatchNormalizationForwardTrainingEx, handle(), way_.mode, alone, &one, &zero,
                  data, input(0), nullptr, nullptr, data, result(0), tensors_.vectors.get(),
                  input(1), input(2), factor, nullptr, nullptr, epsilon_, result(1), result(2),
                  nullptr, workspace(), static_cast<std::size_t>(workspace_bytes()),
                  reserve_.data(), static_cast<std::size_t>(reserve_.size_bytes()));
  }

 protected:
  /// The library saves the inverse of the standard deviation.
  float told(std::size_t index, float stored) const override {
    return index == 2 ? variance_of(stored, epsilon_) : stored;
  }
};

class TrainingGradientPrimitive final : public TrainingCall {
 public:
  using TrainingCall::TrainingCall;

  /// The library reads the inverse of the standard deviation.
  void upload(std::size_t index, std::span<const float> values) override {
    constexpr std::size_t variance = 4;
    if (index != variance) return SeveralResults::upload(index, values);
    SeveralResults::upload(index, inverse_deviations(values, epsilon_));
  }

  /// Runs a forward call to fill the reserve space that the gradient reads.
  void restore() override {
    if (reserve_.size_bytes() > 0) fill_reserve();
  }

  void run() override {
    const cudnnTensorDescriptor_t data = tensors_.data.get();
    if (!way_.extended) {
      BENANZA_CUDNN(cudnnBatchNormalizationBackward, handle(), way_.mode, &one, &zero, &one, &zero,
                    data, input(1), data, input(0), data, result(0), tensors_.vectors.get(),
                    input(2), result(1), result(2), epsilon_, input(3), input(4));
      return;
    }
    BENANZA_CUDNN(cudnnBatchNormalizationBackwardEx, handle(), way_.mode, alone, &one, &zero, &one,
                  &zero, data, input(1), nullptr, nullptr, data, input(0), nullptr, nullptr, data,
                  result(0), tensors_.vectors.get(), input(2), nullptr, result(1), result(2),
                  epsilon_, input(3), input(4), nullptr, workspace(),
                  static_cast<std::size_t>(workspace_bytes()), reserve_.data(),
                  static_cast<std::size_t>(reserve_.size_bytes()));
  }

 private:
  /// The forward results go to the gradients' memory and are ignored; any vector serves as the
  /// bias.
  void fill_reserve() {
    const nvidia::DeviceMemory scratch(forward_workspace(library(), tensors_, way_));
    const cudnnTensorDescriptor_t data = tensors_.data.get();
    BENANZA_CUDNN(cudnnBatchNormalizationForwardTrainingEx, handle(), way_.mode, alone, &one, &zero,
                  data, input(1), nullptr, nullptr, data, result(0), tensors_.vectors.get(),
                  input(2), input(3), 1.0, nullptr, nullptr, epsilon_, result(1), result(2),
                  nullptr, scratch.data(), static_cast<std::size_t>(scratch.size_bytes()),
                  reserve_.data(), static_cast<std::size_t>(reserve_.size_bytes()));
    nvidia::synchronize(stream());
  }
};

template <class Shape>
std::vector<Layout> layouts(const Shape& shape) {
  return image_layouts(shape.input);
}

template <class Shape, class Made>
harness::Solver<Library, Shape> call_solver(
    std::int64_t (*workspace)(Library&, const TrainingTensors&, const BatchNormalizationWay&)) {
  return {
      .layouts = [](const Shape& shape) { return image_layouts(shape.input); },
      .algorithms =
          [](Library&, const Shape&, const harness::Variant& prototype, harness::AlgorithmSet) {
            return batch_normalization_training_algorithms(prototype.precision, prototype.layout);
          },
      .create = [workspace](Library& library, const Shape& shape, const harness::Variant& variant)
          -> std::unique_ptr<harness::Primitive> {
        TrainingTensors tensors(shape.input, variant);
        const auto way = parse_batch_normalization_training(variant.algorithm);
        const std::int64_t bytes = workspace(library, tensors, way);
        return std::make_unique<Made>(library, variant, shape, std::move(tensors), way, bytes);
      },
      .owns = is_call};
}

}  // namespace

std::vector<harness::Algorithm> batch_normalization_training_algorithms(Precision precision,
                                                                        Layout layout) {
  if (precision == Precision::int8) {
    throw harness::Unsupported("cuDNN trains no int8 normalization");
  }
  std::vector<harness::Algorithm> names{"spatial", "spatial_persistent"};
  if (layout == Layout::nhwc) names.emplace_back("spatial_persistent_ex");
  return names;
}

BatchNormalizationWay parse_batch_normalization_training(std::string_view algorithm) {
  if (algorithm == "spatial") return {};
  if (algorithm == "spatial_persistent") return {.mode = CUDNN_BATCHNORM_SPATIAL_PERSISTENT};
  if (algorithm == "spatial_persistent_ex") {
    return {.mode = CUDNN_BATCHNORM_SPATIAL_PERSISTENT, .extended = true};
  }
  throw std::invalid_argument("cuDNN has no batch normalization '" + std::string(algorithm) + "'");
}

void register_batch_normalization_training(SolverTable& table) {
  table.add(call_solver<BatchNormalizationTraining, TrainingPrimitive>(forward_workspace));
  table.add(graph_solver<BatchNormalizationTraining>(layouts<BatchNormalizationTraining>,
                                                     batch_normalization_training_graphs));
  table.add(call_solver<BatchNormalizationGradient, TrainingGradientPrimitive>(gradient_workspace));
  table.add(graph_solver<BatchNormalizationGradient>(layouts<BatchNormalizationGradient>,
                                                     batch_normalization_gradient_graphs));
}

}  // namespace benanza::cudnn
