#include "suites/cudnn/constants.h"
#include "suites/cudnn/primitive/cudnn_primitive.h"
#include "suites/cudnn/solvers.h"
#include "suites/cudnn/api/status.h"

namespace benanza::cudnn {
namespace {

/// The input in the variant's format; the four vectors in fp32, as the library reads them whatever
/// the precision of the data.
std::vector<TensorFormat> operand_formats(const Variant& variant) {
  std::vector<TensorFormat> formats = dense_inputs(variant);
  for (std::size_t i = 1; i < formats.size(); ++i) formats[i].precision = Precision::fp32;
  return formats;
}

class BatchNormalizationLayer final : public Layer {
 public:
  BatchNormalizationLayer(Library& library, const Variant& variant, cudnnBatchNormMode_t mode,
                          float epsilon)
      : Layer(library, variant, operand_formats(variant)),
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

class BatchNormalizationSolver final : public Solver {
 public:
  explicit BatchNormalizationSolver(const BatchNormalization& shape) : shape_(shape) {}

  std::vector<Layout> layouts() const override { return image_layouts(shape_.input); }

  /// The persistent mode is believed to have kernels of its own only where channels lie innermost.
  std::vector<Algorithm> algorithms(Library&, const Variant& prototype) const override {
    if (prototype.layout == Layout::nhwc) return {"spatial", "spatial_persistent"};
    return {"spatial"};
  }

  std::unique_ptr<CudaPrimitive> create(Library& library, const Variant& variant) const override {
    const auto mode = variant.algorithm == "spatial" ? CUDNN_BATCHNORM_SPATIAL
                                                     : CUDNN_BATCHNORM_SPATIAL_PERSISTENT;
    return std::make_unique<BatchNormalizationLayer>(library, variant, mode, shape_.epsilon);
  }

 private:
  BatchNormalization shape_;
};

}  // namespace

std::unique_ptr<Solver> solver(const BatchNormalization& shape) {
  return std::make_unique<BatchNormalizationSolver>(shape);
}

}  // namespace benanza::cudnn
