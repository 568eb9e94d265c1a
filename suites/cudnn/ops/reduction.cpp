#include <utility>

#include "suites/cudnn/constants.h"
#include "suites/cudnn/primitive/cudnn_primitive.h"
#include "suites/cudnn/solvers.h"
#include "suites/cudnn/api/status.h"

namespace benanza::cudnn {
namespace {

cudnnReduceTensorOp_t operation(ReductionKind kind) {
  switch (kind) {
    case ReductionKind::mean:
      return CUDNN_REDUCE_TENSOR_AVG;
    case ReductionKind::sum:
      return CUDNN_REDUCE_TENSOR_ADD;
    case ReductionKind::max:
      return CUDNN_REDUCE_TENSOR_MAX;
    case ReductionKind::min:
      return CUDNN_REDUCE_TENSOR_MIN;
    case ReductionKind::product:
      return CUDNN_REDUCE_TENSOR_MUL;
    case ReductionKind::l1:
      return CUDNN_REDUCE_TENSOR_NORM1;
    case ReductionKind::l2:
      return CUDNN_REDUCE_TENSOR_NORM2;
    case ReductionKind::sum_square:
      break;
  }
  throw Unsupported("cuDNN's reductions have no sum of squares");
}

/// The library reduces the axes in which the result's extent is 1 and the input's is not.
struct Descriptors {
  Descriptors(const Reduction& shape, const Variant& variant)
      : input(make_tensor(dense(variant.precision, shape.input, variant.layout))),
        output(make_tensor(dense_output(variant))),
        reduction(make_reduce_tensor(operation(shape.kind))) {}

  TensorDescriptor input;
  TensorDescriptor output;
  ReduceTensorDescriptor reduction;
};

std::int64_t workspace_size(const Library& library, const Descriptors& descriptors) {
  std::size_t bytes = 0;
  BENANZA_CUDNN(cudnnGetReductionWorkspaceSize, library.handle(), descriptors.reduction.get(),
                descriptors.input.get(), descriptors.output.get(), &bytes);
  library.check_workspace(static_cast<std::int64_t>(bytes));
  return static_cast<std::int64_t>(bytes);
}

class ReductionLayer final : public Layer {
 public:
  ReductionLayer(Library& library, const Variant& variant, Descriptors descriptors,
                 std::int64_t workspace_bytes)
      : Layer(library, variant, dense_inputs(variant), workspace_bytes),
        descriptors_(std::move(descriptors)) {}

  void run() override {
    const float factor = scale();
    BENANZA_CUDNN(cudnnReduceTensor, handle(), descriptors_.reduction.get(), nullptr, 0,
                  workspace(), static_cast<std::size_t>(workspace_bytes()), &factor,
                  descriptors_.input.get(), input(0), &zero, descriptors_.output.get(), output());
  }

 private:
  Descriptors descriptors_;
};

class ReductionSolver final : public Solver {
 public:
  explicit ReductionSolver(const Reduction& shape) : shape_(shape) {}

  std::vector<Layout> layouts() const override { return image_layouts(shape_.input); }

  std::vector<Algorithm> algorithms(Library&, const Variant&) const override {
    operation(shape_.kind);
    return {"reduce_tensor"};
  }

  std::unique_ptr<CudaPrimitive> create(Library& library, const Variant& variant) const override {
    Descriptors descriptors(shape_, variant);
    const std::int64_t bytes = workspace_size(library, descriptors);
    return std::make_unique<ReductionLayer>(library, variant, std::move(descriptors), bytes);
  }

 private:
  Reduction shape_;
};

}  // namespace

std::unique_ptr<Solver> solver(const Reduction& shape) {
  return std::make_unique<ReductionSolver>(shape);
}

}  // namespace benanza::cudnn
