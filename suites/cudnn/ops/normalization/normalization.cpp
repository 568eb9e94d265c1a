#include "suites/cudnn/ops/normalization/normalization.h"

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/primitive/call.h"
#include "suites/cudnn/primitive/graph_call.h"
#include "suites/cudnn/ways.h"
#include "suites/nvidia/device/device_memory.h"
#include "suites/nvidia/device/tensor_format.h"

/// Normalization by the tensor's own statistics: the library's batch normalization for training,
/// applied to a batch of one whose channels are the rows. It always scales and shifts, by ones and
/// zeros if the problem does not.
namespace benanza::cudnn {
namespace {

/// The tensor as one image, and the length of its vectors.
struct NormalizationRows {
  Dims image;
  std::int64_t count;
};

class RowsFunction {
 public:
  /// `affine` means that operands 1 and 2 are scale and bias, one value per row.
  RowsFunction(const Request& request, const NormalizationRows& rows, bool affine, float epsilon)
      : tensor_(make_tensor(dense(request.variant.precision, rows.image, request.variant.layout))),
        vectors_(make_batch_norm_vectors(tensor_)),
        affine_(affine),
        epsilon_(epsilon) {
    const auto format = dense(Precision::fp32, {1, rows.count, 1, 1}, Layout::plain);
    const auto filled = [&](float value) {
      nvidia::DeviceMemory memory(nvidia::span_bytes(format));
      memory.write(nvidia::to_storage(
                       std::vector<float>(static_cast<std::size_t>(rows.count), value), format),
                   request.library.cuda().stream());
      return memory;
    };
    ones_ = filled(1);
    zeros_ = filled(0);
  }

  void operator()(const CudnnPrimitive& call) const {
    const float factor = call.scale();
    BENANZA_CUDNN(cudnnBatchNormalizationForwardTraining, call.handle(), CUDNN_BATCHNORM_SPATIAL,
                  &factor, &zero, tensor_.get(), call.input(0), tensor_.get(), call.output(),
                  vectors_.get(), affine_ ? call.input(1) : ones_.data(),
                  affine_ ? call.input(2) : zeros_.data(), 1.0, nullptr, nullptr, epsilon_, nullptr,
                  nullptr);
  }

 private:
  TensorDescriptor tensor_;
  TensorDescriptor vectors_;
  nvidia::DeviceMemory ones_;
  nvidia::DeviceMemory zeros_;
  bool affine_;
  double epsilon_;
};

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

NormalizationRows normalization_rows_of(const LayerNormalization& shape) {
  return {{1, shape.rows, 1, shape.length}, shape.rows};
}

std::string refusal_of(const InstanceNormalization& shape) {
  if (!shape.affine || shape.input[0] == 1) return {};
  return "cuDNN's batch normalization of several images as one wants their scales repeated";
}

NormalizationRows normalization_rows_of(const InstanceNormalization& shape) {
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
harness::Family<Library, Shape> rows_family(std::vector<Layout> (*layouts)(const Shape&),
                                            bool (*is_affine)(const Shape&)) {
  return function<Shape>(
      "batchnorm_training", layouts,
      [is_affine](const Request& request, const Shape& shape) {
        return call_of(
            request, setup_with_fp32_vectors(request.variant),
            RowsFunction(request, normalization_rows_of(shape), is_affine(shape), shape.epsilon));
      },
      [](const Shape& shape, const harness::Variant& prototype) {
        if (std::string reason = refusal_of(shape); !reason.empty()) {
          throw harness::Unsupported(reason);
        }
        if (prototype.precision == Precision::int8) {
          throw harness::Unsupported("cuDNN normalizes no integers");
        }
      });
}

}  // namespace

void register_normalization(WayTable& table) {
  table.add(rows_family<InstanceNormalization>(
      call_layouts, [](const InstanceNormalization& shape) { return shape.affine; }));
  table.add(engines_of<InstanceNormalization>(
      [](const InstanceNormalization& shape) { return image_layouts(shape.input); },
      instance_normalization_graphs));
  table.add(engines_of<InstanceNormalization>(row_layouts, instance_normalization_sequences,
                                              Steps::in_graph));
  table.add(
      rows_family<LayerNormalization>(plain, [](const LayerNormalization&) { return false; }));
  table.add(engines_of<LayerNormalization>(plain, layer_normalization_graphs));
}

}  // namespace benanza::cudnn
