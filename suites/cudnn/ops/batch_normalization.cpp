#include "suites/cudnn/api/status.h"
#include "suites/cudnn/primitive/cudnn_primitive.h"
#include "suites/cudnn/solvers.h"

namespace benanza::cudnn {
namespace {

/// The input in the variant's format; the four vectors in fp32, as the library reads them whatever
/// the precision of the data.
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

/// The persistent mode is believed to have kernels of its own only where channels lie innermost.
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
           }});
}

}  // namespace benanza::cudnn
