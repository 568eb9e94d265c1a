#include <utility>

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/primitive/cudnn_primitive.h"
#include "suites/cudnn/primitive/graph_solver.h"
#include "suites/cudnn/solvers.h"

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
  throw harness::Unsupported("cuDNN's reductions have no sum of squares");
}

/// The library reduces the axes along which the result's extent is 1 and the input's is not.
struct Descriptors {
  Descriptors(const Reduction& shape, const harness::Variant& variant)
      : input(make_tensor(dense(variant.precision, shape.input, variant.layout))),
        output(make_tensor(dense_output(variant))),
        reduction(make_reduce_tensor(operation(shape.kind))) {}

  TensorDescriptor input;
  TensorDescriptor output;
  ReduceTensorDescriptor reduction;
};

std::int64_t workspace_size(Library& library, const Descriptors& descriptors) {
  std::size_t bytes = 0;
  BENANZA_CUDNN(cudnnGetReductionWorkspaceSize, library.handle(), descriptors.reduction.get(),
                descriptors.input.get(), descriptors.output.get(), &bytes);
  library.check_workspace(static_cast<std::int64_t>(bytes));
  return static_cast<std::int64_t>(bytes);
}

class ReductionPrimitive final : public CudnnPrimitive {
 public:
  ReductionPrimitive(Library& library, const harness::Variant& variant, Descriptors descriptors,
                     std::int64_t workspace_bytes)
      : CudnnPrimitive(library, variant, dense_inputs(variant), workspace_bytes),
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

}  // namespace

void register_reduction(SolverTable& table) {
  table.add<Reduction>(
      {.layouts = [](const Reduction& shape) { return image_layouts(shape.input); },
       .algorithms = [](Library&, const Reduction& shape, const harness::Variant&,
                        harness::AlgorithmSet) -> std::vector<harness::Algorithm> {
         operation(shape.kind);
         return {"reduce_tensor"};
       },
       .create =
           [](Library& library, const Reduction& shape, const harness::Variant& variant) {
             Descriptors descriptors(shape, variant);
             const std::int64_t bytes = workspace_size(library, descriptors);
             return std::make_unique<ReductionPrimitive>(library, variant, std::move(descriptors),
                                                         bytes);
           },
       .owns = is_call});
}

}  // namespace benanza::cudnn
