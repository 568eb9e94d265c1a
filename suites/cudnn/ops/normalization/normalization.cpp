#include "suites/cudnn/ops/normalization/normalization.h"

#include <utility>

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/primitive/cudnn_primitive.h"
#include "suites/cudnn/primitive/graph_solver.h"
#include "suites/cudnn/solvers.h"
#include "suites/nvidia/device/convert.h"
#include "suites/nvidia/device/device_memory.h"

/// Normalization by the tensor's own statistics: the library's batch normalization for training,
/// applied to a batch of one whose channels are the rows. It always scales and shifts, by ones and
/// zeros if the problem does not.
namespace benanza::cudnn {
namespace {

/// The tensor as one image, and the length of its vectors.
struct Rows {
  Dims image;
  std::int64_t count;
};

class RowsPrimitive final : public CudnnPrimitive {
 public:
  /// `affine` means that operands 1 and 2 are scale and bias, one value per row.
  RowsPrimitive(Library& library, const harness::Variant& variant, const Rows& rows, bool affine,
                float epsilon)
      : CudnnPrimitive(library, variant, formats(variant)),
        tensor_(make_tensor(dense(variant.precision, rows.image, variant.layout))),
        vectors_(make_batch_norm_vectors(tensor_)),
        vector_format_(dense(Precision::fp32, {1, rows.count, 1, 1}, Layout::plain)),
        ones_(nvidia::span_bytes(vector_format_)),
        zeros_(nvidia::span_bytes(vector_format_)),
        affine_(affine),
        epsilon_(epsilon) {
    const auto count = static_cast<std::size_t>(rows.count);
    ones_.write(nvidia::to_storage(std::vector<float>(count, 1), vector_format_), stream());
    zeros_.write(nvidia::to_storage(std::vector<float>(count, 0), vector_format_), stream());
  }

  void run() override {
    const float factor = scale();
    BENANZA_CUDNN(cudnnBatchNormalizationForwardTraining, handle(), CUDNN_BATCHNORM_SPATIAL,
                  &factor, &zero, tensor_.get(), input(0), tensor_.get(), output(), vectors_.get(),
                  affine_ ? input(1) : ones_.data(), affine_ ? input(2) : zeros_.data(), 1.0,
                  nullptr, nullptr, epsilon_, nullptr, nullptr);
  }

 private:
  /// The vectors are fp32 for every precision of the data.
  static std::vector<nvidia::TensorFormat> formats(const harness::Variant& variant) {
    std::vector<nvidia::TensorFormat> formats = dense_inputs(variant);
    for (std::size_t i = 1; i < formats.size(); ++i) formats[i].precision = Precision::fp32;
    return formats;
  }

  TensorDescriptor tensor_;
  TensorDescriptor vectors_;
  nvidia::TensorFormat vector_format_;
  nvidia::DeviceMemory ones_;
  nvidia::DeviceMemory zeros_;
  bool affine_;
  double epsilon_;
};

std::vector<harness::Algorithm> algorithms(const harness::Variant& prototype,
                                           const std::string& refusal) {
  if (!refusal.empty()) throw harness::Unsupported(refusal);
  if (prototype.precision == Precision::int8) {
    throw harness::Unsupported("cuDNN normalizes no integers");
  }
  return {"batchnorm_training"};
}

std::vector<Layout> plain(const LayerNormalization&) { return {Layout::plain}; }

std::string refusal_of(const LayerNormalization& shape) {
  if (shape.root_mean_square) {
    return "cuDNN's call-per-layer functions do not normalize by the root mean square";
  }
  if (shape.scale || shape.bias) {
    return "cuDNN's call-per-layer functions have no scale along the normalized axis";
  }
  return {};
}

Rows rows_of(const LayerNormalization& shape) {
  return {{1, shape.rows, 1, shape.length}, shape.rows};
}

std::string refusal_of(const InstanceNormalization& shape) {
  if (!shape.affine || shape.input[0] == 1) return {};
  return "cuDNN's batch normalization of several images as one wants their scales repeated";
}

Rows rows_of(const InstanceNormalization& shape) {
  Dims image = shape.input;
  image[0] = 1;
  image[1] = shape.input[0] * shape.input[1];
  return {image, image[1]};
}

/// The channels of several images are contiguous only if they are outermost.
std::vector<Layout> call_layouts(const InstanceNormalization& shape) {
  constexpr std::size_t most_axes = 5;
  if (shape.input[0] > 1 && shape.input.size() <= most_axes) return {Layout::nchw};
  return image_layouts(shape.input);
}

/// The layouts in which a channel of an image is contiguous.
std::vector<Layout> row_layouts(const InstanceNormalization& shape) {
  std::vector<Layout> layouts = image_layouts(shape.input);
  std::erase(layouts, Layout::nhwc);
  return layouts;
}

template <class Shape>
harness::Solver<Library, Shape> call_solver(std::vector<Layout> (*layouts)(const Shape&),
                                            bool (*is_affine)(const Shape&)) {
  return {
      .layouts = layouts,
      .algorithms = [](Library&, const Shape& shape, const harness::Variant& prototype,
                       harness::AlgorithmSet) { return algorithms(prototype, refusal_of(shape)); },
      .create =
          [is_affine](Library& library, const Shape& shape, const harness::Variant& variant) {
            return std::make_unique<RowsPrimitive>(library, variant, rows_of(shape),
                                                   is_affine(shape), shape.epsilon);
          },
      .owns = is_call};
}

}  // namespace

void register_normalization(SolverTable& table) {
  table.add(call_solver<InstanceNormalization>(
      call_layouts, [](const InstanceNormalization& shape) { return shape.affine; }));
  table.add(graph_solver<InstanceNormalization>(
      [](const InstanceNormalization& shape) { return image_layouts(shape.input); },
      instance_normalization_graphs));
  auto sequences =
      sequence_solver<InstanceNormalization>(row_layouts, instance_normalization_sequences);
  sequences.handles_steps = true;
  table.add(std::move(sequences));
  table.add(
      call_solver<LayerNormalization>(plain, [](const LayerNormalization&) { return false; }));
  table.add(graph_solver<LayerNormalization>(plain, layer_normalization_graphs));
}

}  // namespace benanza::cudnn
