#include <utility>

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/primitive/call.h"
#include "suites/cudnn/primitive/graph_call.h"
#include "suites/cudnn/ways.h"

namespace benanza::cudnn {
namespace {

cudnnReduceTensorOp_t reduction_operation(ReductionKind kind) {
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
        reduction(make_reduce_tensor(reduction_operation(shape.kind))) {}

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

std::unique_ptr<harness::Primitive> reduction_primitive(const Request& request,
                                                        const Reduction& shape) {
  Descriptors descriptors(shape, request.variant);
  nvidia::CallSetup setup = dense_setup(request.variant);
  setup.workspace_bytes = workspace_size(request.library, descriptors);
  return call_of(
      request, std::move(setup), [d = std::move(descriptors)](const CudnnPrimitive& call) {
        const float factor = call.scale();
        BENANZA_CUDNN(cudnnReduceTensor, call.handle(), d.reduction.get(), nullptr, 0,
                      call.workspace(), static_cast<std::size_t>(call.workspace_bytes()), &factor,
                      d.input.get(), call.input(0), &zero, d.output.get(), call.output());
      });
}

}  // namespace

void register_reduction(WayTable& table) {
  table.add(function<Reduction>(
      "reduce_tensor", [](const Reduction& shape) { return image_layouts(shape.input); },
      reduction_primitive,
      [](const Reduction& shape, const harness::Variant&) { reduction_operation(shape.kind); }));
}

}  // namespace benanza::cudnn
