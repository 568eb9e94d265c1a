#include "suites/cudnn/ops/graphs.h"

#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/graph/functions.h"
#include "suites/cudnn/primitive/library.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {
namespace {

using Id = OperationGraph::Id;

bool all_ones(const Dims& dims) { return element_count(dims) == 1; }

/// The operand's batch axes as one axis: as long as the result's, or 1 to broadcast.
std::int64_t batches(const Dims& operand, const Dims& result) {
  if (operand == result || all_ones(operand)) return element_count(operand);
  throw harness::Unsupported("cuDNN repeats an operand for all batches or for none");
}

/// `rows` x `columns` per batch; `transposed` means stored column by column.
nvidia::TensorFormat gemm_matrix(Precision precision, std::int64_t batch, std::int64_t rows,
                                 std::int64_t columns, bool transposed) {
  nvidia::TensorFormat format{precision, {batch, rows, columns}, {rows * columns, columns, 1}};
  if (transposed) format.strides = {rows * columns, 1, rows};
  return format;
}

/// The format of a step's tensor of extents `dims` next to a result of batches, rows and columns.
nvidia::TensorFormat beside(Precision precision, const Dims& dims, const Dims& batch) {
  const Dims own(dims.begin(), dims.end() - 2);
  const Dims three{batches(own, batch), dims[dims.size() - 2], dims.back()};
  return {precision, three, dense_strides(three)};
}

/// An operand as the problem stores it: row-major with its own axes.
nvidia::TensorFormat gemm_row_major(Precision precision, const Dims& dims) {
  return {precision, dims, dense_strides(dims)};
}

GraphCall gemm_call_of(const Gemm& shape, const harness::Variant& variant, Relu relu) {
  const Epilogue& epilogue = variant.problem.epilogue;
  const Precision precision = variant.precision;
  const Dims batch = shape.batch();
  GraphCall call;
  OperationGraph& graph = call.graph();
  for (const Operand& operand : inputs(variant.problem)) {
    call.inputs.push_back(gemm_row_major(precision, operand.dims));
  }
  call.output = gemm_row_major(precision, shape.output());
  const auto bind = [&](const nvidia::TensorFormat& format) {
    call.bound.push_back(graph.tensor(format));
    return call.bound.back();
  };
  const nvidia::TensorFormat result =
      gemm_matrix(precision, element_count(batch), shape.m, shape.n, false);
  const Id a = bind(
      gemm_matrix(precision, batches(shape.batch_a, batch), shape.m, shape.k, shape.transpose_a));
  const Id b = bind(
      gemm_matrix(precision, batches(shape.batch_b, batch), shape.k, shape.n, shape.transpose_b));
  Chain chain(graph, result);
  chain.add([&](Id, Id y) { graph.multiply(a, b, y); });
  if (epilogue.bias) chain.add(BinaryKind::add, bind(gemm_matrix(precision, 1, 1, shape.n, false)));
  if (epilogue.residual) chain.add(BinaryKind::add, bind(result));
  if (epilogue.activation) chain.add(*epilogue.activation, relu);
  chain.add(epilogue.steps, [&](const Dims& dims) { return bind(beside(precision, dims, batch)); });
  const Id y = bind(result);
  chain.finish(y);
  return call;
}

}  // namespace

std::vector<GraphCall> gemm_graphs(const Gemm& shape, const harness::Variant& variant) {
  if (element_bytes(variant.precision) == 1) {
    throw harness::Unsupported("matrix products in 8 bits are asked of cuBLAS alone");
  }
  if (variant.problem.epilogue == Epilogue{}) {
    throw harness::Unsupported("matrix products without an epilogue are asked of cuBLAS alone");
  }
  std::vector<GraphCall> found;
  found.push_back(gemm_call_of(shape, variant, Relu::maximum));
  return found;
}

void register_gemm(WayTable& table) {
  table.add(engines_of<Gemm>([](const Gemm&) { return std::vector{Layout::plain}; }, gemm_graphs,
                             Steps::in_graph));
}

}  // namespace benanza::cudnn
