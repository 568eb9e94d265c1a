#include "suites/cudnn/ops/reduction_sums.h"

#include "suites/cudnn/api/shape.h"
#include "suites/cudnn/graph/elementwise.h"
#include "suites/cudnn/primitive/call.h"
#include "suites/cudnn/ways.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {
namespace {

using Id = OperationGraph::Id;

cudnnReduceTensorOp_t reduction_sums_operation(ReductionKind kind) {
  if (kind == ReductionKind::max) return CUDNN_REDUCE_TENSOR_MAX;
  if (kind == ReductionKind::min) return CUDNN_REDUCE_TENSOR_MIN;
  if (kind == ReductionKind::product) {
    throw harness::Unsupported("cuDNN's graphs compute no product of all elements");
  }
  return CUDNN_REDUCE_TENSOR_ADD;
}

/// Images of one pixel, with channels innermost.
nvidia::TensorFormat reduction_sums_matrix(Precision precision, std::int64_t rows,
                                           std::int64_t columns) {
  return innermost_as_channels(precision, {rows, columns});
}

struct ReductionSumsFormats {
  nvidia::TensorFormat data;
  nvidia::TensorFormat result;
};

ReductionSumsFormats formats(const Reduction& shape, const harness::Variant& variant) {
  if (element_bytes(variant.precision) == 1) throw harness::Unsupported("cuDNN reduces no 8 bits");
  const auto extents = shape.adjacent(variant.layout == Layout::nhwc);
  if (!extents) throw harness::Unsupported("the reduced axes lie apart in memory");
  const auto [outer, length, inner] = *extents;
  if (outer > 1 && inner > 1) {
    throw harness::Unsupported("cuDNN's graphs reduce rows, or all columns");
  }
  if (inner == 1) {
    return {reduction_sums_matrix(variant.precision, outer, length),
            reduction_sums_matrix(Precision::fp32, outer, 1)};
  }
  return {reduction_sums_matrix(variant.precision, length, inner),
          reduction_sums_matrix(Precision::fp32, 1, inner)};
}

/// Adds what is reduced, and the reduction.
void reduce(OperationGraph& graph, const Reduction& shape, const ReductionSumsFormats& formats,
            Id x, Id y) {
  const auto through = [&](cudnnPointwiseMode_t mode, Id operand) {
    const Id made = graph.intermediate(formats.data);
    graph.pointwise({mode}, x, operand, made);
    return made;
  };
  Id terms = x;
  if (shape.kind == ReductionKind::l2 || shape.kind == ReductionKind::sum_square) {
    terms = through(CUDNN_POINTWISE_MUL, x);
  } else if (shape.kind == ReductionKind::l1) {
    terms = through(CUDNN_POINTWISE_ABS, OperationGraph::none);
  } else if (shape.kind == ReductionKind::mean) {
    const auto length = static_cast<float>(shape.reduction_length());
    terms = through(CUDNN_POINTWISE_MUL, graph.scalar(1 / length, formats.data.dims.size()));
  }
  graph.reduce(reduction_sums_operation(shape.kind), terms, y);
}

}  // namespace

std::vector<GraphCall> reduced_graphs(const Reduction& shape, const harness::Variant& variant) {
  const ReductionSumsFormats formats = cudnn::formats(shape, variant);
  if (element_bytes(variant.precision) != element_bytes(Precision::fp32)) {
    throw harness::Unsupported("cuDNN's graphs store a reduction's result as fp32");
  }
  if (shape.kind == ReductionKind::l2) {
    throw harness::Unsupported("cuDNN's graphs take no root of a sum");
  }
  std::vector<GraphCall> found(1);
  GraphCall& call = found.front();
  call.inputs = dense_inputs(variant);
  call.output = dense_output(variant);
  call.bound = {call.graph().tensor(formats.data), call.graph().tensor(formats.result)};
  reduce(call.graph(), shape, formats, call.bound[0], call.bound[1]);
  return found;
}

std::vector<GraphCall> reduced_sequences(const Reduction& shape, const harness::Variant& variant) {
  const ReductionSumsFormats formats = cudnn::formats(shape, variant);
  const bool is_fp32 = element_bytes(variant.precision) == element_bytes(Precision::fp32);
  const bool is_root = shape.kind == ReductionKind::l2;
  if (is_fp32 && !is_root) throw harness::Unsupported("one call stores this result");
  std::vector<GraphCall> found(1);
  GraphCall& sequence = found.front();
  sequence.inputs = dense_inputs(variant);
  sequence.output = dense_output(variant);
  sequence.intermediates = {formats.result};
  sequence.stages.resize(2);
  GraphCall::Stage& first = sequence.stages.front();
  GraphCall::Stage& last = sequence.stages.back();
  const Id x = first.graph.tensor(formats.data);
  const Id reduced = first.graph.tensor(formats.result);
  reduce(first.graph, shape, formats, x, reduced);
  first.tensors = {{x, 0}, {reduced, sequence.intermediate(0)}};

  const Dims extents = as_matrix(element_count(shape.output()));
  const Id from = last.graph.tensor(innermost_as_channels(Precision::fp32, extents));
  const Id to = last.graph.tensor(innermost_as_channels(variant.precision, extents));
  last.graph.pointwise({is_root ? CUDNN_POINTWISE_SQRT : CUDNN_POINTWISE_IDENTITY}, from,
                       OperationGraph::none, to);
  last.tensors = {{from, sequence.intermediate(0)}, {to, sequence.result()}};
  return found;
}

void register_reduction_sums(WayTable& table) {
  const auto layouts = [](const Reduction& shape) { return image_layouts(shape.input); };
  table.add(engines_of<Reduction>(layouts, reduced_sequences));
  table.add(engines_of<Reduction>(layouts, reduced_graphs));
}

}  // namespace benanza::cudnn
