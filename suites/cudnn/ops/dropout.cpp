#include <utility>

#include "suites/cudnn/primitive/cudnn_primitive.h"
#include "suites/cudnn/solvers.h"
#include "suites/cudnn/api/status.h"

namespace benanza::cudnn {
namespace {

constexpr unsigned long long mask_seed = 2020;

class DropoutLayer final : public Layer {
 public:
  DropoutLayer(Library& library, const Variant& variant, const Dropout& shape)
      : Layer(library, variant, dense_inputs(variant)),
        tensor_(make_tensor(dense(variant.precision, shape.input, variant.layout))),
        dropout_(make_dropout()) {
    std::size_t state_bytes = 0;
    BENANZA_CUDNN(cudnnDropoutGetStatesSize, handle(), &state_bytes);
    states_ = DeviceMemory(static_cast<std::int64_t>(state_bytes));
    // Seeds the generators, once: not part of the call.
    BENANZA_CUDNN(cudnnSetDropoutDescriptor, dropout_.get(), handle(), shape.ratio, states_.data(),
                  state_bytes, mask_seed);
    std::size_t mask_bytes = 0;
    BENANZA_CUDNN(cudnnDropoutGetReserveSpaceSize, tensor_.get(), &mask_bytes);
    mask_ = DeviceMemory(static_cast<std::int64_t>(mask_bytes));
  }

  void run() override {
    BENANZA_CUDNN(cudnnDropoutForward, handle(), dropout_.get(), tensor_.get(), input(0),
                  tensor_.get(), output(), mask_.data(),
                  static_cast<std::size_t>(mask_.size_bytes()));
  }

 private:
  TensorDescriptor tensor_;
  DropoutDescriptor dropout_;
  DeviceMemory states_;
  DeviceMemory mask_;
};

class DropoutSolver final : public Solver {
 public:
  explicit DropoutSolver(const Dropout& shape) : shape_(shape) {}

  std::vector<Layout> layouts() const override { return {Layout::plain}; }

  std::vector<Algorithm> algorithms(Library&, const Variant&) const override { return {"dropout"}; }

  std::unique_ptr<CudaPrimitive> create(Library& library, const Variant& variant) const override {
    if (variant.precision == Precision::int8) throw Unsupported("dropout is not for integers");
    return std::make_unique<DropoutLayer>(library, variant, shape_);
  }

 private:
  Dropout shape_;
};

}  // namespace

std::unique_ptr<Solver> solver(const Dropout& shape) {
  return std::make_unique<DropoutSolver>(shape);
}

}  // namespace benanza::cudnn
