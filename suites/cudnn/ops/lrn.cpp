#include "suites/cudnn/constants.h"
#include "suites/cudnn/primitive/cudnn_primitive.h"
#include "suites/cudnn/solvers.h"
#include "suites/cudnn/api/status.h"

namespace benanza::cudnn {
namespace {

/// The library divides alpha by the window's size itself and looks floor((size - 1) / 2) channels
/// back, both as ONNX does. Sizes of 1 to 16, beta from 0.01 and k from 1e-5.
class LrnLayer final : public Layer {
 public:
  LrnLayer(Library& library, const Variant& variant, const Lrn& shape)
      : Layer(library, variant, dense_inputs(variant)),
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

class LrnSolver final : public Solver {
 public:
  explicit LrnSolver(const Lrn& shape) : shape_(shape) {}

  std::vector<Layout> layouts() const override { return image_layouts(shape_.input); }

  std::vector<Algorithm> algorithms(Library&, const Variant&) const override {
    return {"cross_channel"};
  }

  std::unique_ptr<CudaPrimitive> create(Library& library, const Variant& variant) const override {
    return std::make_unique<LrnLayer>(library, variant, shape_);
  }

 private:
  Lrn shape_;
};

}  // namespace

std::unique_ptr<Solver> solver(const Lrn& shape) { return std::make_unique<LrnSolver>(shape); }

}  // namespace benanza::cudnn
