#include "suites/cudnn/ops/graphs.h"

#include "suites/cudnn/graph/elementwise.h"
#include "suites/cudnn/primitive/call.h"
#include "suites/cudnn/primitive/library.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {
namespace {

struct CastFormats {
  nvidia::TensorFormat from;
  nvidia::TensorFormat to;
};

/// Positions do not matter.
CastFormats cast_formats_of(const Cast& shape, Precision precision) {
  if (precision == Precision::int8 || element_bytes(precision) == 4) {
    throw harness::Unsupported("between fp32 and fp16 or bf16 alone");
  }
  const Dims dims = as_matrix(element_count(shape.input));
  const auto narrow = innermost_as_channels(precision, dims);
  const auto wide = innermost_as_channels(Precision::fp32, dims);
  return shape.widens ? CastFormats{narrow, wide} : CastFormats{wide, narrow};
}

/// Uses cudnnOpTensor, whose result may have another type than its operands: max(x, x).
std::unique_ptr<harness::Primitive> cast_primitive(const Request& request, const Cast& shape) {
  const CastFormats formats = cast_formats_of(shape, request.variant.precision);
  return call_of(request, {.inputs = {formats.from}, .results = {formats.to}},
                 [from = make_tensor(formats.from), to = make_tensor(formats.to),
                  op = make_op_tensor(CUDNN_OP_TENSOR_MAX)](const CudnnPrimitive& call) {
                   op_tensor(call.handle(), op, {from, call.input(0)}, {from, call.input(0)}, to,
                             call.output());
                 });
}

std::vector<Layout> cast_layouts(const Cast&) { return {Layout::plain}; }

}  // namespace

std::vector<GraphCall> cast_graphs(const Cast& shape, const harness::Variant& variant) {
  const auto [from, to] = cast_formats_of(shape, variant.precision);
  std::vector<GraphCall> found(1);
  GraphCall& call = found.front();
  call.inputs = {from};
  call.output = to;
  call.bound = {call.graph().tensor(from), call.graph().tensor(to)};
  call.graph().pointwise({CUDNN_POINTWISE_IDENTITY}, call.bound[0], OperationGraph::none,
                         call.bound[1]);
  return found;
}

void register_cast(WayTable& table) {
  table.add(engines_of<Cast>(cast_layouts, cast_graphs));
  table.add(function<Cast>("op_tensor", cast_layouts, cast_primitive,
                           [](const Cast& shape, const harness::Variant& variant) {
                             cast_formats_of(shape, variant.precision);
                           }));
}

}  // namespace benanza::cudnn
