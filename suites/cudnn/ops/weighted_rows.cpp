#include <numeric>

#include "core/problem/problem.h"
#include "suites/cudnn/graph/elementwise.h"
#include "suites/cudnn/primitive/graph_call.h"
#include "suites/cudnn/ways.h"
#include "suites/harness/primitive.h"

// Products of one row with few, for each matrix of a batch: sums of rows, each times a number, as
// pointwise operations. So the outputs of a token's experts are summed.
namespace benanza::cudnn {
namespace {

using Id = OperationGraph::Id;

/// Rows of a sum: each is a tensor of the graph.
constexpr std::int64_t most_rows = 16;

void refuse_weighted_rows(const Gemm& shape, const harness::Variant& variant) {
  const bool is_batch = !shape.batch_a.empty() && shape.batch_a == shape.batch_b;
  const bool is_sum = shape.m == 1 && shape.k >= 2 && shape.k <= most_rows && !shape.transpose_b;
  if (!is_batch || !is_sum || variant.problem.epilogue != Epilogue{}) {
    throw harness::Unsupported("this product is no sum of few rows for each matrix of a batch");
  }
  if (element_bytes(variant.precision) == 1) {
    throw harness::Unsupported("matrix products in 8 bits are asked of cuBLAS alone");
  }
}

std::vector<GraphCall> weighted_rows(const Gemm& shape, const harness::Variant& variant) {
  refuse_weighted_rows(shape, variant);
  const Precision precision = variant.precision;
  const std::int64_t count = element_count(shape.batch());
  const Dims rows{count, shape.n};
  const Dims numbers{count, 1};
  const auto formats = strided_formats({precision, precision, precision}, {numbers, rows, rows},
                                       {{shape.k, 1}, {shape.k * shape.n, 1}, {shape.n, 1}});

  std::vector<GraphCall> found(1);
  GraphCall& call = found.front();
  call.prefix = "rows.";
  for (const Operand& operand : shape.inputs()) {
    call.inputs.push_back({precision, operand.dims, dense_strides(operand.dims)});
  }
  call.output = {precision, shape.output(), dense_strides(shape.output())};
  OperationGraph& graph = call.graph();
  std::vector<GraphCall::Tensor>& tensors = call.stages.front().tensors;
  const auto part = [&](const nvidia::TensorFormat& format, std::size_t operand,
                        std::int64_t from) {
    constexpr std::int64_t most_bytes = 16;
    const Id id = graph.part(format, std::gcd(most_bytes, from * element_bytes(precision)));
    tensors.push_back({id, operand, from});
    return id;
  };
  const Id result = graph.tensor(formats[2]);
  Id sum = OperationGraph::none;
  for (std::int64_t row = 0; row < shape.k; ++row) {
    const Id number = part(formats[0], 0, row);
    const Id x = part(formats[1], 1, row * shape.n);
    const Id term = graph.intermediate(formats[2]);
    graph.pointwise({CUDNN_POINTWISE_MUL}, x, number, term);
    if (sum == OperationGraph::none) {
      sum = term;
      continue;
    }
    const Id added = row + 1 == shape.k ? result : graph.intermediate(formats[2]);
    graph.pointwise({CUDNN_POINTWISE_ADD}, sum, term, added);
    sum = added;
  }
  tensors.push_back({result, call.result()});
  return found;
}

}  // namespace

void register_weighted_rows(WayTable& table) {
  table.add(engines_of<Gemm>([](const Gemm&) { return std::vector{Layout::plain}; },
                             weighted_rows));
}

}  // namespace benanza::cudnn
