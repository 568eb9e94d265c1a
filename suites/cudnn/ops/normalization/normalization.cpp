#include <utility>

#include "suites/cudnn/constants.h"
#include "suites/cudnn/primitive/graph_solver.h"
#include "suites/cudnn/primitive/cudnn_primitive.h"
#include "suites/cudnn/solvers.h"
#include "suites/cudnn/api/status.h"
#include "suites/nvidia/device/convert.h"
#include "suites/nvidia/device/device_memory.h"

/// Normalization by the statistics of the tensor itself: the library's batch normalization in its
/// training form, shown a batch of one whose channels are the rows. It always scales and shifts, by
/// ones and zeros where the problem does not.
namespace benanza::cudnn {
namespace {

/// The tensor as one image, and the extents of its vectors.
struct Rows {
  Dims image;
  std::int64_t count;
};

class RowsLayer final : public Layer {
 public:
  /// `affine`: operands 1 and 2 are scale and bias, one value for every row.
  RowsLayer(Library& library, const Variant& variant, const Rows& rows, bool affine, float epsilon)
      : Layer(library, variant, formats(variant)),
        tensor_(make_tensor(dense(variant.precision, rows.image, variant.layout))),
        vectors_(make_batch_norm_vectors(tensor_)),
        vector_format_(dense(Precision::fp32, {1, rows.count, 1, 1}, Layout::plain)),
        ones_(span_bytes(vector_format_)),
        zeros_(span_bytes(vector_format_)),
        affine_(affine),
        epsilon_(epsilon) {
    const auto count = static_cast<std::size_t>(rows.count);
    ones_.write(to_storage(std::vector<float>(count, 1), vector_format_), stream());
    zeros_.write(to_storage(std::vector<float>(count, 0), vector_format_), stream());
  }

  void run() override {
    const float factor = scale();
    BENANZA_CUDNN(cudnnBatchNormalizationForwardTraining, handle(), CUDNN_BATCHNORM_SPATIAL,
                  &factor, &zero, tensor_.get(), input(0), tensor_.get(), output(), vectors_.get(),
                  affine_ ? input(1) : ones_.data(), affine_ ? input(2) : zeros_.data(), 1.0,
                  nullptr, nullptr, epsilon_, nullptr, nullptr);
  }

 private:
  /// The vectors are fp32 whatever the precision of the data.
  static std::vector<TensorFormat> formats(const Variant& variant) {
    std::vector<TensorFormat> formats = dense_inputs(variant);
    for (std::size_t i = 1; i < formats.size(); ++i) formats[i].precision = Precision::fp32;
    return formats;
  }

  TensorDescriptor tensor_;
  TensorDescriptor vectors_;
  TensorFormat vector_format_;
  DeviceMemory ones_;
  DeviceMemory zeros_;
  bool affine_;
  double epsilon_;
};

class RowsSolver final : public Solver {
 public:
  RowsSolver(std::vector<Layout> layouts, Rows rows, bool affine, float epsilon,
             std::string refusal)
      : layouts_(std::move(layouts)),
        rows_(std::move(rows)),
        affine_(affine),
        epsilon_(epsilon),
        refusal_(std::move(refusal)) {}

  std::vector<Layout> layouts() const override { return layouts_; }

  std::vector<Algorithm> algorithms(Library&, const Variant& prototype) const override {
    if (!refusal_.empty()) throw Unsupported(refusal_);
    if (prototype.precision == Precision::int8) throw Unsupported("cuDNN normalizes no integers");
    return {"batchnorm_training"};
  }

  std::unique_ptr<CudaPrimitive> create(Library& library, const Variant& variant) const override {
    return std::make_unique<RowsLayer>(library, variant, rows_, affine_, epsilon_);
  }

 private:
  std::vector<Layout> layouts_;
  Rows rows_;
  bool affine_;
  float epsilon_;
  std::string refusal_;
};

}  // namespace

std::unique_ptr<Solver> solver(const InstanceNormalization& shape) {
  const std::int64_t images = shape.input[0];
  const std::int64_t rows = images * shape.input[1];
  Dims image = shape.input;
  image[0] = 1;
  image[1] = rows;
  std::string refusal;
  if (shape.affine && images > 1) {
    refusal = "cuDNN's batch normalization of several images as one wants their scales repeated";
  }
  // The channels of several images lie one after the other only where they are outermost.
  const auto layouts =
      images > 1 && image.size() <= 5 ? std::vector{Layout::nchw} : image_layouts(shape.input);
  return call_or_graph(std::make_unique<RowsSolver>(layouts, Rows{image, rows}, shape.affine,
                                                    shape.epsilon, refusal),
                       graph_solver(image_layouts(shape.input), normalization_graphs(shape)));
}

std::unique_ptr<Solver> solver(const LayerNormalization& shape) {
  std::string refusal;
  if (shape.root_mean_square) {
    refusal = "cuDNN's call-per-layer functions do not normalize by the root mean square";
  } else if (shape.scale || shape.bias) {
    refusal = "cuDNN's call-per-layer functions have no scale along the normalized axis";
  }
  const std::vector layouts{Layout::plain};
  const Rows rows{{1, shape.rows, 1, shape.length}, shape.rows};
  return call_or_graph(std::make_unique<RowsSolver>(layouts, rows, false, shape.epsilon, refusal),
                       graph_solver(layouts, normalization_graphs(shape)));
}

}  // namespace benanza::cudnn
