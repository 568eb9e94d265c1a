#include "suites/cudnn/ops/softmax.h"

#include <stdexcept>
#include <string>

#include "suites/cudnn/constants.h"
#include "suites/cudnn/primitive/cudnn_primitive.h"
#include "suites/cudnn/solvers.h"
#include "suites/cudnn/api/status.h"

namespace benanza::cudnn {
namespace {

class SoftmaxLayer final : public Layer {
 public:
  SoftmaxLayer(Library& library, const Variant& variant, const Softmax& shape)
      : Layer(library, variant, dense_inputs(variant)),
        call_(parse_softmax_algorithm(variant.algorithm)),
        tensor_(make_tensor(dense(variant.precision, softmax_dims(shape), Layout::plain))) {}

  void run() override {
    const float factor = scale();
    BENANZA_CUDNN(cudnnSoftmaxForward, handle(), call_.algorithm, call_.mode, &factor,
                  tensor_.get(), input(0), &zero, tensor_.get(), output());
  }

 private:
  SoftmaxCall call_;
  TensorDescriptor tensor_;
};

class SoftmaxSolver final : public Solver {
 public:
  explicit SoftmaxSolver(const Softmax& shape) : shape_(shape) {}

  std::vector<Layout> layouts() const override { return {Layout::plain}; }

  std::vector<Algorithm> algorithms(Library&, const Variant&) const override {
    return softmax_algorithms(shape_);
  }

  std::unique_ptr<CudaPrimitive> create(Library& library, const Variant& variant) const override {
    return std::make_unique<SoftmaxLayer>(library, variant, shape_);
  }

 private:
  Softmax shape_;
};

}  // namespace

Dims softmax_dims(const Softmax& shape) {
  const auto axis = shape.input.begin() + shape.axis;
  return {element_count({shape.input.begin(), axis}), *axis,
          element_count({axis + 1, shape.input.end()}), 1};
}

std::vector<Algorithm> softmax_algorithms(const Softmax& shape) {
  const bool one_row = softmax_dims(shape)[2] == 1;
  std::vector<Algorithm> algorithms;
  const std::vector<Algorithm> names =
      shape.logarithm ? std::vector<Algorithm>{"log"} : std::vector<Algorithm>{"accurate", "fast"};
  for (const Algorithm& name : names) {
    if (one_row) algorithms.push_back(name + ".instance");
    algorithms.push_back(name + ".channel");
  }
  return algorithms;
}

SoftmaxCall parse_softmax_algorithm(std::string_view algorithm) {
  const auto fail = [&] {
    throw std::invalid_argument("cuDNN has no softmax algorithm '" + std::string(algorithm) + "'");
  };
  const std::size_t dot = algorithm.find('.');
  if (dot == algorithm.npos) fail();
  const std::string_view name = algorithm.substr(0, dot);
  const std::string_view mode = algorithm.substr(dot + 1);
  SoftmaxCall call;
  if (name == "log") {
    call.algorithm = CUDNN_SOFTMAX_LOG;
  } else if (name == "fast") {
    call.algorithm = CUDNN_SOFTMAX_FAST;
  } else if (name != "accurate") {
    fail();
  }
  if (mode == "instance") {
    call.mode = CUDNN_SOFTMAX_MODE_INSTANCE;
  } else if (mode != "channel") {
    fail();
  }
  return call;
}

std::unique_ptr<Solver> solver(const Softmax& shape) {
  return std::make_unique<SoftmaxSolver>(shape);
}

}  // namespace benanza::cudnn
