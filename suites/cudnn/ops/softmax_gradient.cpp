#include "suites/cudnn/api/status.h"
#include "suites/cudnn/ops/softmax.h"
#include "suites/cudnn/primitive/cudnn_primitive.h"
#include "suites/cudnn/solvers.h"

namespace benanza::cudnn {
namespace {

/// Reads the gradient of the output and the forward result.
class SoftmaxGradientPrimitive final : public CudnnPrimitive {
 public:
  SoftmaxGradientPrimitive(Library& library, const harness::Variant& variant,
                           const SoftmaxGradient& shape)
      : CudnnPrimitive(library, variant, dense_inputs(variant)),
        call_(parse_softmax_algorithm(variant.algorithm)),
        tensor_(make_tensor(dense(variant.precision, softmax_dims(shape.forward), Layout::plain))) {
  }

  void run() override {
    BENANZA_CUDNN(cudnnSoftmaxBackward, handle(), call_.algorithm, call_.mode, &one, tensor_.get(),
                  input(1), tensor_.get(), input(0), &zero, tensor_.get(), output());
  }

 private:
  SoftmaxCall call_;
  TensorDescriptor tensor_;
};

}  // namespace

/// Has the algorithms of softmax.
void register_softmax_gradient(SolverTable& table) {
  table.add<SoftmaxGradient>(
      {.layouts = [](const SoftmaxGradient&) { return std::vector{Layout::plain}; },
       .algorithms = [](Library&, const SoftmaxGradient& shape, const harness::Variant& prototype,
                        harness::AlgorithmSet) -> std::vector<harness::Algorithm> {
         if (prototype.precision == Precision::int8) {
           throw harness::Unsupported("cuDNN has no int8 gradients");
         }
         return softmax_algorithms(shape.forward);
       },
       .create =
           [](Library& library, const SoftmaxGradient& shape, const harness::Variant& variant) {
             return std::make_unique<SoftmaxGradientPrimitive>(library, variant, shape);
           }});
}

}  // namespace benanza::cudnn
