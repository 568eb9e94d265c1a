#include "suites/cudnn/ops/normalization/normalization.h"

#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/api/status.h"
#include "suites/cudnn/primitive/call.h"
#include "suites/cudnn/primitive/library.h"
#include "suites/harness/primitive.h"
#include "suites/nvidia/device/device_memory.h"
#include "suites/nvidia/device/tensor_format.h"

/// Normalization by the tensor's own statistics: the library's batch normalization for training,
/// applied to a batch of one whose channels are the rows. It always scales and shifts, by ones and
/// zeros if the problem does not.
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
