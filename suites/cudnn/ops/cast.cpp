#include "suites/cudnn/ops/cast.h"

#include "suites/cudnn/graph/elementwise.h"
#include "suites/cudnn/primitive/cudnn_primitive.h"
#include "suites/cudnn/solvers.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {
namespace {

struct Formats {
  nvidia::TensorFormat from;
  nvidia::TensorFormat to;
};

/// Positions do not matter.
Formats formats_of(const Cast& shape, Precision precision) {
  if (precision == Precision::int8 || element_bytes(precision) == 4) {
    throw harness::Unsupported("between fp32 and fp16 or bf16 alone");
  }
  const Dims dims = as_matrix(element_count(shape.input));
  const auto narrow = innermost_as_channels(precision, dims);
  const auto wide = innermost_as_channels(Precision::fp32, dims);
  return shape.widens ? Formats{narrow, wide} : Formats{wide, narrow};
}

/// Uses cudnnOpTensor, whose result may have another type than its operands: max(x, x).
class CastPrimitive final : public CudnnPrimitive {
 public:
  CastPrimitive(Library& library, const harness::Variant& variant, const Formats& formats)
      : CudnnPrimitive(library, variant, {formats.from}, formats.to),
        from_(make_tensor(formats.from)),
        to_(make_tensor(formats.to)),
        op_(make_op_tensor(CUDNN_OP_TENSOR_MAX)) {}

  void run() override {
    op_tensor(handle(), op_, {from_, input(0)}, {from_, input(0)}, to_, output());
  }

 private:
  TensorDescriptor from_;
  TensorDescriptor to_;
  OpTensorDescriptor op_;
};

std::vector<Layout> layouts(const Cast&) { return {Layout::plain}; }

}  // namespace

std::vector<GraphCall> cast_graphs(const Cast& shape, const harness::Variant& variant) {
  const auto [from, to] = formats_of(shape, variant.precision);
  std::vector<GraphCall> found(1);
  GraphCall& call = found.front();
  call.inputs = {from};
  call.output = to;
  call.bound = {call.graph.tensor(from), call.graph.tensor(to)};
  call.graph.pointwise({CUDNN_POINTWISE_IDENTITY}, call.bound[0], OperationGraph::none,
                       call.bound[1]);
  return found;
}

void register_cast(SolverTable& table) {
  table.add(graph_solver<Cast>(layouts, cast_graphs));
  table.add<Cast>({.layouts = layouts,
                   .algorithms = [](Library&, const Cast& shape, const harness::Variant& prototype,
                                    harness::AlgorithmSet) -> std::vector<harness::Algorithm> {
                     formats_of(shape, prototype.precision);
                     return {"op_tensor"};
                   },
                   .create =
                       [](Library& library, const Cast& shape, const harness::Variant& variant) {
                         return std::make_unique<CastPrimitive>(
                             library, variant, formats_of(shape, variant.precision));
                       },
                   .owns = is_call});
}

}  // namespace benanza::cudnn
