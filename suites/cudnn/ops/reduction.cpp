#include "suites/cudnn/ops/graphs.h"

#include <utility>

#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/api/status.h"
#include "suites/cudnn/graph/elementwise.h"
#include "suites/cudnn/primitive/call.h"
#include "suites/cudnn/primitive/library.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {
namespace {

using Id = OperationGraph::Id;

/// Dense matrices.
nvidia::TensorFormat matrices(Precision precision, std::int64_t batch, std::int64_t rows,
                              std::int64_t columns) {
  return {precision, {batch, rows, columns}, {rows * columns, columns, 1}};
}

}  // namespace

std::vector<GraphCall> reduction_graphs(const Reduction& shape, const harness::Variant& variant) {
  const Precision precision = variant.precision;
  if (element_bytes(precision) == 1) throw harness::Unsupported("cuDNN reduces no 8 bits");
  if (variant.problem.epilogue != Epilogue{}) {
    throw harness::Unsupported("a reduction as a product ends with its root or its scale");
  }
  const bool squares = shape.kind == ReductionKind::l2 || shape.kind == ReductionKind::sum_square;
  const bool magnitudes = shape.kind == ReductionKind::l1;
  const bool is_sum = shape.kind == ReductionKind::sum || shape.kind == ReductionKind::mean;
  if (!squares && !magnitudes && !is_sum) {
    throw harness::Unsupported("a product with ones is a sum: this reduction is none");
  }
  const auto extents = shape.adjacent(variant.layout == Layout::nhwc);
  if (!extents) throw harness::Unsupported("the reduced axes lie apart in memory");
  const auto [outer, length, inner] = *extents;
  // Rows are multiplied from the right by a column of ones, columns from the left by a row. A
  // matrix of ones for every batch: engines that compute something first do not repeat one.
  const bool of_rows = inner == 1;
  const std::int64_t batch = of_rows ? 1 : outer;
  const nvidia::TensorFormat data =
      of_rows ? matrices(precision, 1, outer, length) : matrices(precision, outer, length, inner);
  const nvidia::TensorFormat result =
      of_rows ? matrices(precision, 1, outer, 1) : matrices(precision, outer, 1, inner);

  std::vector<GraphCall> found(1);
  GraphCall& call = found.front();
  call.prefix = "product.";
  call.inputs = dense_inputs(variant);
  call.output = dense_output(variant);
  OperationGraph& graph = call.graph();
  const Id x = graph.tensor(data);
  const Id y = graph.tensor(result);
  call.bound = {x, y};
  const Id ones = graph.filled(
      of_rows ? matrices(precision, batch, length, 1) : matrices(precision, batch, 1, length), 1);
  Id terms = x;
  if (!is_sum) {
    terms = graph.intermediate(data, storage_type(precision));
    if (squares) graph.pointwise({.mode = CUDNN_POINTWISE_MUL}, x, x, terms);
    if (magnitudes) graph.pointwise({.mode = CUDNN_POINTWISE_ABS}, x, OperationGraph::none, terms);
  }
  const bool is_root = shape.kind == ReductionKind::l2;
  const bool is_mean = shape.kind == ReductionKind::mean;
  const Id sum = is_root || is_mean ? graph.intermediate(result) : y;
  of_rows ? graph.multiply(terms, ones, sum) : graph.multiply(ones, terms, sum);
  if (is_root) graph.pointwise({.mode = CUDNN_POINTWISE_SQRT}, sum, OperationGraph::none, y);
  if (is_mean) {
    const Id scale = graph.scalar(1 / static_cast<float>(length), 3);
    graph.pointwise({.mode = CUDNN_POINTWISE_MUL}, sum, scale, y);
  }
  return found;
}

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
  const auto layouts = [](const Reduction& shape) { return image_layouts(shape.input); };
  table.add(function<Reduction>(
      "reduce_tensor", layouts, reduction_primitive,
      [](const Reduction& shape, const harness::Variant&) { reduction_operation(shape.kind); }));
  table.add(engines_of<Reduction>(layouts, reduction_graphs));
  table.add(engines_of<Reduction>(layouts, reduced_sequences));
  table.add(engines_of<Reduction>(layouts, reduced_graphs));
}

}  // namespace benanza::cudnn
