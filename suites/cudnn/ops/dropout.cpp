#include <utility>

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/primitive/cudnn_primitive.h"
#include "suites/cudnn/solvers.h"

namespace benanza::cudnn {
namespace {

constexpr unsigned long long mask_seed = 2020;

class DropoutPrimitive final : public CudnnPrimitive {
 public:
  DropoutPrimitive(Library& library, const harness::Variant& variant, const Dropout& shape)
      : CudnnPrimitive(library, variant, dense_inputs(variant)),
        tensor_(make_tensor(dense(variant.precision, shape.input, variant.layout))),
        dropout_(make_dropout()) {
    std::size_t state_bytes = 0;
    BENANZA_CUDNN(cudnnDropoutGetStatesSize, handle(), &state_bytes);
    states_ = nvidia::DeviceMemory(static_cast<std::int64_t>(state_bytes));
    // Seeds the generators once; not part of the call.
    BENANZA_CUDNN(cudnnSetDropoutDescriptor, dropout_.get(), handle(), shape.ratio, states_.data(),
                  state_bytes, mask_seed);
    std::size_t mask_bytes = 0;
    BENANZA_CUDNN(cudnnDropoutGetReserveSpaceSize, tensor_.get(), &mask_bytes);
    mask_ = nvidia::DeviceMemory(static_cast<std::int64_t>(mask_bytes));
  }

  void run() override {
    BENANZA_CUDNN(cudnnDropoutForward, handle(), dropout_.get(), tensor_.get(), input(0),
                  tensor_.get(), output(), mask_.data(),
                  static_cast<std::size_t>(mask_.size_bytes()));
  }

 private:
  TensorDescriptor tensor_;
  DropoutDescriptor dropout_;
  nvidia::DeviceMemory states_;
  nvidia::DeviceMemory mask_;
};

}  // namespace

void register_dropout(SolverTable& table) {
  table.add<Dropout>(
      {.layouts = [](const Dropout&) { return std::vector{Layout::plain}; },
       .algorithms = [](Library&, const Dropout&, const harness::Variant&, harness::AlgorithmSet)
           -> std::vector<harness::Algorithm> { return {"dropout"}; },
       .create =
           [](Library& library, const Dropout& shape, const harness::Variant& variant) {
             if (variant.precision == Precision::int8)
               throw harness::Unsupported("dropout is not for integers");
             return std::make_unique<DropoutPrimitive>(library, variant, shape);
           }});
}

}  // namespace benanza::cudnn
