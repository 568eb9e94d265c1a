#pragma once

#include <vector>

#include "core/problem/ops/attention_gradient.h"
#include "suites/cudnn/primitive/graph_call.h"

namespace benanza::cudnn {

/// Returns a graph of the gradient's parts, a pattern that the library recognizes.
std::vector<GraphCall> attention_gradient_graphs(const AttentionGradient& shape,
                                                 const harness::Variant& variant);

/// What the graphs of attention's gradients have in common, whatever the type of the data: the
/// operands, K and V as columns, and parts of the pattern.
class AttentionGradientPattern {
 protected:
  using Id = OperationGraph::Id;
  using Place = AttentionGradient::Place;

  AttentionGradientPattern(const AttentionGradient& shape, Precision precision,
                           cudnnDataType_t type);

  Id operand(Place place) const { return call_.bound[place]; }
  /// Adds the gradient of Q, K or V (0, 1, 2).
  Id result(std::size_t index) { return graph_.tensor(results_[index], type_); }
  Id combined(cudnnPointwiseMode_t mode, Id x, Id y, const Dims& dims,
              cudnnDataType_t made_type = CUDNN_DATA_FLOAT);
  /// The sum of dO O along each row.
  Id sums_of_rows();
  /// The product of Q and K, times the scale.
  Id scaled_scores();
  /// Hides what the causal mask and its window hide.
  Id visible(Id scores);
  /// `x`, of queries by keys, as keys by queries in the type of the values.
  Id to_columns(Id x);
  /// K as rows, of a type.
  Id rows_of_k(cudnnDataType_t type);
  GraphCall finish(Id dq, Id dk, Id dv);

  const Attention& forward_;
  cudnnDataType_t type_;
  /// Extents of the scores, and of a number per query.
  Dims scores_;
  Dims rows_;
  std::vector<nvidia::TensorFormat> results_;
  GraphCall call_;
  OperationGraph& graph_ = call_.graph();
};

/// The graph for fp8, without an added mask.
GraphCall attention_gradient_of_8_bits(const AttentionGradient& shape);

}  // namespace benanza::cudnn
