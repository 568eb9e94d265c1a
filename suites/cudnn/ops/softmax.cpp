#include "suites/cudnn/ops/softmax.h"

#include <stdexcept>
#include <string>

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/primitive/cudnn_primitive.h"
#include "suites/cudnn/solvers.h"

namespace benanza::cudnn {
namespace {

class SoftmaxPrimitive final : public CudnnPrimitive {
 public:
  SoftmaxPrimitive(Library& library, const harness::Variant& variant, const Softmax& shape)
      : CudnnPrimitive(library, variant, dense_inputs(variant)),
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

}  // namespace

Dims softmax_dims(const Softmax& shape) {
  const auto axis = shape.input.begin() + shape.axis;
  return {element_count({shape.input.begin(), axis}), *axis,
          element_count({axis + 1, shape.input.end()}), 1};
}

std::vector<harness::Algorithm> softmax_algorithms(const Softmax& shape) {
  const bool one_row = softmax_dims(shape)[2] == 1;
  std::vector<harness::Algorithm> algorithms;
  const std::vector<harness::Algorithm> names =
      shape.logarithm ? std::vector<harness::Algorithm>{"log"}
                      : std::vector<harness::Algorithm>{"accurate", "fast"};
  for (const harness::Algorithm& name : names) {
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

void register_softmax(SolverTable& table) {
  table.add<Softmax>(
      {.layouts = [](const Softmax&) { return std::vector{Layout::plain}; },
       .algorithms = [](Library&, const Softmax& shape, const harness::Variant&,
                        harness::AlgorithmSet) -> std::vector<harness::Algorithm> {
         return softmax_algorithms(shape);
       },
       .create =
           [](Library& library, const Softmax& shape, const harness::Variant& variant) {
             return std::make_unique<SoftmaxPrimitive>(library, variant, shape);
           }});
}

}  // namespace benanza::cudnn
