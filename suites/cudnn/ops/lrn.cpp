#include "suites/cudnn/api/status.h"
#include "suites/cudnn/primitive/cudnn_primitive.h"
#include "suites/cudnn/solvers.h"

namespace benanza::cudnn {
namespace {

/// The library divides alpha by the window's size and starts the window floor((size - 1) / 2)
/// channels earlier, both as ONNX does. Supports sizes of 1 to 16, beta from 0.01 and k from 1e-5.
class LrnPrimitive final : public CudnnPrimitive {
 public:
  LrnPrimitive(Library& library, const harness::Variant& variant, const Lrn& shape)
      : CudnnPrimitive(library, variant, dense_inputs(variant)),
        tensor_(make_tensor(dense_output(variant))),
        lrn_(make_lrn(shape.size, shape.alpha, shape.beta, shape.k)) {}

  void run() override {
    const float factor = scale();
    BENANZA_CUDNN(cudnnLRNCrossChannelForward, handle(), lrn_.get(), CUDNN_LRN_CROSS_CHANNEL_DIM1,
                  &factor, tensor_.get(), input(0), &zero, tensor_.get(), output());
  }

 private:
  TensorDescriptor tensor_;
  LrnDescriptor lrn_;
};

}  // namespace

void register_lrn(SolverTable& table) {
  table.add<Lrn>({.layouts = [](const Lrn& shape) { return image_layouts(shape.input); },
                  .algorithms = [](Library&, const Lrn&, const harness::Variant&,
                                   harness::AlgorithmSet) -> std::vector<harness::Algorithm> {
                    return {"cross_channel"};
                  },
                  .create =
                      [](Library& library, const Lrn& shape, const harness::Variant& variant) {
                        return std::make_unique<LrnPrimitive>(library, variant, shape);
                      }});
}

}  // namespace benanza::cudnn
