#include "cudnn/graph_solver.h"
#include "harness/primitive.h"

namespace benanza::cudnn {
namespace {

TensorFormat row_major(Precision precision, const Dims& dims) {
  return {precision, dims, dense_strides(dims)};
}

GraphCall begin(const Attention& shape, const Variant& variant, std::string prefix) {
  GraphCall call;
  call.prefix = std::move(prefix);
  for (const Operand& operand : shape.inputs()) {
    call.inputs.push_back(row_major(variant.precision, operand.dims));
  }
  call.output = row_major(variant.precision, shape.output());
  return call;
}

/// One operation that the library has for all of it.
GraphCall unified(const Attention& shape, const Variant& variant) {
  GraphCall call = begin(shape, variant, "unified.");
  OperationGraph& graph = call.graph;
  for (const TensorFormat& format : call.inputs) call.bound.push_back(graph.tensor(format));
  call.bound.push_back(graph.tensor(call.output));
  const OperationGraph::Id scale = graph.scalar(shape.scale, 4);
  Descriptor& sdpa = graph.add(CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR);
  sdpa.set(CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC, graph.at(call.bound[0]));
  sdpa.set(CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC, graph.at(call.bound[1]));
  sdpa.set(CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC, graph.at(call.bound[2]));
  sdpa.set(CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC, graph.at(call.bound[3]));
  sdpa.set(CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC, graph.at(scale));
  return call;
}

/// Its parts, which the library knows as one pattern: the scores never reach the memory.
GraphCall pattern(const Attention& shape, const Variant& variant) {
  GraphCall call = begin(shape, variant, "flash.");
  OperationGraph& graph = call.graph;
  const OperationGraph::Id q = graph.tensor(call.inputs[0]);
  // The keys as columns: the same places, two axes swapped.
  const Dims& keys = call.inputs[1].dims;
  const Dims strides = call.inputs[1].strides;
  const OperationGraph::Id k = graph.tensor({variant.precision,
                                             {keys[0], keys[1], keys[3], keys[2]},
                                             {strides[0], strides[1], strides[3], strides[2]}});
  const OperationGraph::Id v = graph.tensor(call.inputs[2]);
  call.bound = {q, k, v};
  const Dims dims{shape.batch, shape.heads, shape.queries, shape.keys};
  const Dims rows{shape.batch, shape.heads, shape.queries, 1};
  OperationGraph::Id scores = graph.intermediate(dims);
  graph.multiply(q, k, scores);
  const auto next = [&](cudnnPointwiseMode_t mode, OperationGraph::Id operand) {
    const OperationGraph::Id made = graph.intermediate(dims);
    graph.pointwise(mode, scores, operand, made);
    scores = made;
  };
  next(CUDNN_POINTWISE_MUL, graph.scalar(shape.scale, 4));
  if (!shape.mask.empty()) {
    const OperationGraph::Id mask = graph.tensor(call.inputs[3]);
    call.bound.push_back(mask);
    next(CUDNN_POINTWISE_ADD, mask);
  }
  const OperationGraph::Id largest = graph.intermediate(rows);
  graph.reduce(CUDNN_REDUCE_TENSOR_MAX, scores, largest);
  next(CUDNN_POINTWISE_SUB, largest);
  next(CUDNN_POINTWISE_EXP, -1);
  const OperationGraph::Id sum = graph.intermediate(rows);
  graph.reduce(CUDNN_REDUCE_TENSOR_ADD, scores, sum);
  next(CUDNN_POINTWISE_DIV, sum);
  const OperationGraph::Id o = graph.tensor(call.output);
  graph.multiply(scores, v, o);
  call.bound.push_back(o);
  return call;
}

std::vector<GraphCall> calls(const Attention& shape, const Variant& variant) {
  if (variant.precision != Precision::fp16 && variant.precision != Precision::bf16) {
    throw Unsupported("cuDNN's attention is of 16-bit floating-point types");
  }
  if (shape.causal) throw Unsupported("cuDNN's causal mask is not asked for here");
  std::vector<GraphCall> found;
  found.push_back(pattern(shape, variant));
  if (shape.mask.empty()) found.push_back(unified(shape, variant));
  return found;
}

}  // namespace

GraphCalls attention_graphs(const Attention& shape) {
  return [shape](const Variant& variant) { return calls(shape, variant); };
}

std::unique_ptr<Solver> solver(const Attention& shape) {
  return graph_solver({Layout::plain}, attention_graphs(shape));
}

}  // namespace benanza::cudnn
