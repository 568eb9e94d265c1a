#include "suites/cudnn/ops/attention_gradient/pattern.h"

#include <utility>

#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/ops/attention.h"

namespace benanza::cudnn {
namespace {

/// The same memory with the last two axes swapped.
nvidia::TensorFormat with_axes_swapped(nvidia::TensorFormat format) {
  std::swap(format.dims[2], format.dims[3]);
  std::swap(format.strides[2], format.strides[3]);
  return format;
}

}  // namespace

AttentionGradientPattern::AttentionGradientPattern(const AttentionGradient& shape,
                                                   Precision precision, cudnnDataType_t type)
    : forward_(shape.forward),
      type_(type),
      scores_{forward_.batch, forward_.heads, forward_.queries, forward_.keys},
      rows_{forward_.batch, forward_.heads, forward_.queries, 1} {
  const std::vector<Operand> operands = shape.inputs();
  for (std::size_t index = 0; index < operands.size(); ++index) {
    const bool is_of_rows = index == Place::logarithms;
    const Dims& dims = operands[index].dims;
    call_.inputs.push_back({is_of_rows ? Precision::fp32 : precision, dims, dense_strides(dims)});
    const bool is_column = index == Place::k || index == Place::v;
    nvidia::TensorFormat format = call_.inputs.back();
    if (index == Place::mask && dims[2] == 1) {
      // One row for all queries: with an extent of 1, engines compute wrong gradients (9.19, H100).
      format.dims[2] = forward_.queries;
      format.strides[2] = 0;
    }
    call_.bound.push_back(graph_.tensor(is_column ? with_axes_swapped(format) : format,
                                        is_of_rows ? CUDNN_DATA_FLOAT : type));
  }
  for (const Dims& dims : shape.results()) {
    results_.push_back({precision, dims, dense_strides(dims)});
  }
  call_.output = results_[0];
}

OperationGraph::Id AttentionGradientPattern::combined(cudnnPointwiseMode_t mode, Id x, Id y,
                                                      const Dims& dims, cudnnDataType_t made_type) {
  const Id made = graph_.intermediate(dims, made_type);
  graph_.pointwise({mode}, x, y, made);
  return made;
}

OperationGraph::Id AttentionGradientPattern::sums_of_rows() {
  const Id products = combined(CUDNN_POINTWISE_MUL, operand(Place::output_gradient),
                               operand(Place::result), forward_.output());
  const Id sums = graph_.intermediate(rows_);
  graph_.reduce(CUDNN_REDUCE_TENSOR_ADD, products, sums);
  return sums;
}

OperationGraph::Id AttentionGradientPattern::scaled_scores() {
  const Id scores = graph_.intermediate(scores_);
  graph_.multiply(operand(Place::q), operand(Place::k), scores);
  return combined(CUDNN_POINTWISE_MUL, scores, graph_.scalar(forward_.scale, 4), scores_);
}

OperationGraph::Id AttentionGradientPattern::visible(Id scores) {
  if (forward_.causal) scores = lower_triangle(graph_, scores_, scores);
  if (forward_.window > 0) scores = last_keys(graph_, scores_, forward_.window, scores);
  return scores;
}

OperationGraph::Id AttentionGradientPattern::to_columns(Id x) {
  const nvidia::TensorFormat rows{Precision::fp32, scores_, dense_strides(scores_)};
  const Id columns = graph_.intermediate(with_axes_swapped(rows), type_);
  graph_.reshape(x, columns);
  return columns;
}

OperationGraph::Id AttentionGradientPattern::rows_of_k(cudnnDataType_t type) {
  const Id rows = graph_.intermediate(call_.inputs[Place::k], type);
  graph_.reshape(operand(Place::k), rows);
  return rows;
}

GraphCall AttentionGradientPattern::finish(Id dq, Id dk, Id dv) {
  call_.bound.push_back(dq);
  call_.further_results = {{dk, results_[1]}, {dv, results_[2]}};
  return std::move(call_);
}

}  // namespace benanza::cudnn
