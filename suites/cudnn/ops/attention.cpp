#include "suites/cudnn/ops/attention.h"

#include <limits>
#include <utility>

#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/solvers.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {
namespace {

using Id = OperationGraph::Id;

nvidia::TensorFormat row_major(Precision precision, const Dims& dims) {
  return {precision, dims, dense_strides(dims)};
}

GraphCall begin(const Attention& shape, const harness::Variant& variant) {
  GraphCall call;
  for (const Operand& operand : shape.inputs()) {
    call.inputs.push_back(row_major(variant.precision, operand.dims));
  }
  call.output = row_major(variant.precision, shape.output());
  return call;
}

/// The library's single operation for all of it.
GraphCall unified(const Attention& shape, const harness::Variant& variant) {
  GraphCall call = begin(shape, variant);
  call.prefix = "unified.";
  OperationGraph& graph = call.graph;
  for (const nvidia::TensorFormat& format : call.inputs) call.bound.push_back(graph.tensor(format));
  call.bound.push_back(graph.tensor(call.output));
  const Id scale = graph.scalar(shape.scale, 4);
  Descriptor& sdpa = graph.add(CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR);
  sdpa.set(CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC, graph.at(call.bound[0]));
  sdpa.set(CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC, graph.at(call.bound[1]));
  sdpa.set(CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC, graph.at(call.bound[2]));
  sdpa.set(CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC, graph.at(call.bound[3]));
  sdpa.set(CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC, graph.at(scale));
  return call;
}

/// Its parts, which the library recognizes as a pattern: the scores never reach memory.
GraphCall pattern(const Attention& shape, const harness::Variant& variant) {
  GraphCall call = begin(shape, variant);
  OperationGraph& graph = call.graph;
  const Id q = graph.tensor(call.inputs[0]);
  // The keys as columns: the same memory with two axes swapped.
  nvidia::TensorFormat columns = call.inputs[1];
  std::swap(columns.dims[2], columns.dims[3]);
  std::swap(columns.strides[2], columns.strides[3]);
  const Id k = graph.tensor(columns);
  const Id v = graph.tensor(call.inputs[2]);
  call.bound = {q, k, v};
  const Dims dims{shape.batch, shape.heads, shape.queries, shape.keys};
  const Dims rows{shape.batch, shape.heads, shape.queries, 1};
  const auto combined = [&](cudnnPointwiseMode_t mode, Id x, Id operand, cudnnDataType_t type) {
    const Id made = graph.intermediate(dims, type);
    graph.pointwise({mode}, x, operand, made);
    return made;
  };
  const auto reduced = [&](cudnnReduceTensorOp_t op, Id x) {
    const Id made = graph.intermediate(rows);
    graph.reduce(op, x, made);
    return made;
  };
  Id scores = graph.intermediate(dims);
  graph.multiply(q, k, scores);
  scores = combined(CUDNN_POINTWISE_MUL, scores, graph.scalar(shape.scale, 4), CUDNN_DATA_FLOAT);
  if (!shape.mask.empty()) {
    const Id mask = graph.tensor(call.inputs[3]);
    call.bound.push_back(mask);
    scores = combined(CUDNN_POINTWISE_ADD, scores, mask, CUDNN_DATA_FLOAT);
  }
  if (shape.causal) scores = lower_triangle(graph, dims, scores);
  const Id largest = reduced(CUDNN_REDUCE_TENSOR_MAX, scores);
  scores = combined(CUDNN_POINTWISE_SUB, scores, largest, CUDNN_DATA_FLOAT);
  scores = combined(CUDNN_POINTWISE_EXP, scores, OperationGraph::none, CUDNN_DATA_FLOAT);
  const Id sum = reduced(CUDNN_REDUCE_TENSOR_ADD, scores);
  // The logarithm of the sum is unused, but without it the library does not recognize the pattern.
  const Id logarithm = graph.intermediate(rows);
  graph.pointwise({CUDNN_POINTWISE_LOG}, sum, OperationGraph::none, logarithm);
  graph.pointwise({CUDNN_POINTWISE_ADD}, largest, logarithm, graph.intermediate(rows));
  // Rounded to the precision of V before the product.
  scores = combined(CUDNN_POINTWISE_DIV, scores, sum, storage_type(variant.precision));
  const Id o = graph.tensor(call.output);
  graph.multiply(scores, v, o);
  call.bound.push_back(o);
  return call;
}

}  // namespace

OperationGraph::Id lower_triangle(OperationGraph& graph, const Dims& dims,
                                  OperationGraph::Id scores) {
  const auto index = [&](std::int64_t axis) {
    const Id made = graph.intermediate(dims, CUDNN_DATA_INT32);
    graph.pointwise(
        {.mode = CUDNN_POINTWISE_GEN_INDEX, .compute_type = CUDNN_DATA_INT32, .axis = axis}, scores,
        OperationGraph::none, made);
    return made;
  };
  const Id row = index(2);
  const Id column = index(3);
  const Id seen = graph.intermediate(dims, CUDNN_DATA_BOOLEAN);
  graph.pointwise({.mode = CUDNN_POINTWISE_CMP_GE, .compute_type = CUDNN_DATA_BOOLEAN}, row, column,
                  seen);
  const Id made = graph.intermediate(dims);
  graph.pointwise({CUDNN_POINTWISE_BINARY_SELECT}, scores,
                  graph.scalar(std::numeric_limits<float>::lowest(), 4), made, seen);
  return made;
}

std::vector<GraphCall> attention_graphs(const Attention& shape, const harness::Variant& variant) {
  if (variant.precision == Precision::int8) {
    throw harness::Unsupported("int8 attention needs a scale of its own for every part");
  }
  if (shape.causal && shape.queries != shape.keys) {
    throw harness::Unsupported(
        "cuDNN's causal mask is asked for only where queries are as many as keys");
  }
  std::vector<GraphCall> found;
  found.push_back(pattern(shape, variant));
  // For 32-bit data the library offers an engine for it that writes outside its shared memory
  // (9.14) or ends in an illegal access (9.19); the pattern's engine is correct.
  const bool is_half = storage_type(variant.precision) != CUDNN_DATA_FLOAT;
  if (shape.mask.empty() && !shape.causal && is_half) found.push_back(unified(shape, variant));
  return found;
}

void register_attention(SolverTable& table) {
  table.add(graph_solver<Attention>([](const Attention&) { return std::vector{Layout::plain}; },
                                    attention_graphs));
}

}  // namespace benanza::cudnn
