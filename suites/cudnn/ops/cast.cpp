#include "suites/cudnn/primitive/graph_solver.h"
#include "suites/cudnn/solvers.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {
namespace {

/// One elementwise operation whose tensors are of two types.
std::vector<GraphCall> cast_graphs(const Cast& shape, const harness::Variant& variant) {
  if (variant.precision == Precision::int8 || element_bytes(variant.precision) == 4) {
    throw harness::Unsupported("between fp32 and fp16 or bf16 alone");
  }
  const Dims dims{1, 1, 1, element_count(shape.input)};
  const auto format = [&](Precision precision) {
    return nvidia::tensor_format(precision, dims, Layout::plain);
  };
  std::vector<GraphCall> found(1);
  GraphCall& call = found.front();
  call.inputs = {format(shape.widens ? variant.precision : Precision::fp32)};
  call.output = format(shape.widens ? Precision::fp32 : variant.precision);
  const auto x = call.graph.tensor(call.inputs[0]);
  const auto y = call.graph.tensor(call.output);
  call.bound = {x, y};
  call.graph.pointwise({CUDNN_POINTWISE_IDENTITY}, x, OperationGraph::none, y);
  return found;
}

}  // namespace

void register_cast(SolverTable& table) {
  table.add(
      graph_solver<Cast>([](const Cast&) { return std::vector{Layout::plain}; }, cast_graphs));
}

}  // namespace benanza::cudnn
