#include "suites/cudnn/api/status.h"
#include "suites/cudnn/primitive/cudnn_primitive.h"
#include "suites/cudnn/solvers.h"

namespace benanza::cudnn {
namespace {

/// Reads the gradient of the output, the input, and the forward call's result.
class LrnGradientPrimitive final : public CudnnPrimitive {
 public:
  LrnGradientPrimitive(Library& library, const harness::Variant& variant, const Lrn& shape)
      : CudnnPrimitive(library, variant, dense_inputs(variant)),
        tensor_(make_tensor(dense_output(variant))),
        lrn_(make_lrn(shape.size, shape.alpha, shape.beta, shape.k)),
        result_(nvidia::span_bytes(dense_output(variant))) {
    result_.fill(0, stream());
  }

  /// Computes the forward result from the input, outside the timed region.
  void upload(std::size_t index, std::span<const float> values) override {
    CudnnPrimitive::upload(index, values);
    if (index != 1) return;
    BENANZA_CUDNN(cudnnLRNCrossChannelForward, handle(), lrn_.get(), CUDNN_LRN_CROSS_CHANNEL_DIM1,
                  &one, tensor_.get(), input(1), &zero, tensor_.get(), result_.data());
  }

  void run() override {
    BENANZA_CUDNN(cudnnLRNCrossChannelBackward, handle(), lrn_.get(), CUDNN_LRN_CROSS_CHANNEL_DIM1,
                  &one, tensor_.get(), result_.data(), tensor_.get(), input(0), tensor_.get(),
                  input(1), &zero, tensor_.get(), output());
  }

 private:
  TensorDescriptor tensor_;
  LrnDescriptor lrn_;
  nvidia::DeviceMemory result_;
};

}  // namespace

void register_lrn_gradient(SolverTable& table) {
  table.add<LrnGradient>(
      {.layouts = [](const LrnGradient& shape) { return image_layouts(shape.forward.input); },
       .algorithms = [](Library&, const LrnGradient&, const harness::Variant& prototype,
                        harness::AlgorithmSet) -> std::vector<harness::Algorithm> {
         if (prototype.precision == Precision::int8) {
           throw harness::Unsupported("cuDNN has no int8 gradients");
         }
         return {"cross_channel"};
       },
       .create =
           [](Library& library, const LrnGradient& shape, const harness::Variant& variant) {
             return std::make_unique<LrnGradientPrimitive>(library, variant, shape.forward);
           }});
}

}  // namespace benanza::cudnn
