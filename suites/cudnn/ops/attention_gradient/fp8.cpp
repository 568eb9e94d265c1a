#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/ops/attention.h"
#include "suites/cudnn/ops/attention_gradient/attention_gradient.h"

namespace benanza::cudnn {
namespace {

using Id = OperationGraph::Id;
using Place = AttentionGradient::Place;

/// The operations in the order and with the types in which cudnn-frontend's node for 8-bit floats
/// states them (include/cudnn_frontend/node/sdpa_fp8_bwd.h): every product has the scales of its
/// operands and of its result behind it, and the largest value of each result, which frameworks
/// adjust the scales by, is a further result.
class Pattern8 {
 public:
  Pattern8(const AttentionGradient& shape, const harness::Variant& variant)
      : forward_(shape.forward),
        scale_(scale_for(forward_)),
        scores_{forward_.batch, forward_.heads, forward_.queries, forward_.keys},
        rows_{forward_.batch, forward_.heads, forward_.queries, 1},
        results_(attention_gradient_results(shape, variant.precision)),
        call_(attention_gradient_operands(shape, variant.precision, type)) {
    call_.output = results_[0];
  }

  GraphCall take() && {
    const Id row_sums = sums_of_rows();
    const Id weights = make_weights();
    const Id dv = graph_.tensor(results_[2], type);
    product(to_columns(scaled(weights, scale_, scores_, type)), operand(Place::output_gradient),
            1 / scale_, forward_.value_size, dv, results_[2].dims);
    const Id gradients = score_gradients(weights, row_sums);
    const Id rows_of_k = graph_.intermediate(call_.inputs[Place::k], type);
    graph_.reshape(operand(Place::k), rows_of_k);
    const Id dq = graph_.tensor(results_[0], type);
    product(gradients, rows_of_k, 1 / scale_, forward_.size, dq, results_[0].dims);
    const Id dk = graph_.tensor(results_[1], type);
    product(to_columns(gradients), operand(Place::q), 1 / scale_, forward_.size, dk,
            results_[1].dims);
    call_.bound.push_back(dq);
    call_.further_results = {{dk, results_[1]}, {dv, results_[2]}};
    return std::move(call_);
  }

 private:
  static constexpr cudnnDataType_t type = CUDNN_DATA_FP8_E4M3;
  /// Of weights and of the gradients of scores, whose largest are some times the mean weight of the
  /// queries that see the fewest keys (under a causal mask eight, as the inputs are made). The
  /// largest number of 8 bits is 448.
  static float scale_for(const Attention& forward) {
    const auto keys = static_cast<std::uint64_t>(forward.keys);
    return 16 * static_cast<float>(
                    std::bit_floor(forward.causal ? std::min<std::uint64_t>(8, keys) : keys));
  }

  Id operand(Place place) const { return call_.bound[place]; }

  Id combined(cudnnPointwiseMode_t mode, Id x, Id y, const Dims& dims,
              cudnnDataType_t made_type = CUDNN_DATA_FLOAT) {
    const Id made = graph_.intermediate(dims, made_type);
    graph_.pointwise({mode}, x, y, made);
    return made;
  }

  static nvidia::TensorFormat single() {
    return {Precision::fp32, {1, 1, 1, 1}, dense_strides({1, 1, 1, 1})};
  }

  /// x times a scale in memory.
  Id scaled(Id x, float scale, const Dims& dims, cudnnDataType_t made_type = CUDNN_DATA_FLOAT) {
    return combined(CUDNN_POINTWISE_MUL, x, graph_.filled(single(), scale), dims, made_type);
  }

  void add_largest(Id x) {
    const Id largest = graph_.tensor(single());
    graph_.reduce(CUDNN_REDUCE_TENSOR_AMAX, x, largest);
    call_.ignored_results.push_back({largest, single()});
  }

  /// The sum of dO O along each row.
  Id sums_of_rows() {
    const Id products = combined(CUDNN_POINTWISE_MUL, operand(Place::output_gradient),
                                 operand(Place::result), forward_.output());
    const Id sums = graph_.intermediate(rows_);
    graph_.reduce(CUDNN_REDUCE_TENSOR_ADD, products, sums);
    return scaled(scaled(sums, 1, rows_), 1, rows_);
  }

  /// e^(score - logarithm).
  Id make_weights() {
    Id scores = graph_.intermediate(scores_);
    graph_.multiply(operand(Place::q), operand(Place::k), scores);
    scores = combined(CUDNN_POINTWISE_MUL, scores, graph_.scalar(forward_.scale, 4), scores_);
    scores = scaled(scaled(scores, 1, scores_), 1, scores_);
    if (forward_.causal) scores = lower_triangle(graph_, scores_, scores);
    if (forward_.window > 0) scores = last_keys(graph_, scores_, forward_.window, scores);
    scores = combined(CUDNN_POINTWISE_SUB, scores, operand(Place::logarithms), scores_);
    return combined(CUDNN_POINTWISE_EXP, scores, OperationGraph::none, scores_);
  }

  /// `x`, of queries by keys, as keys by queries.
  Id to_columns(Id x) {
    const nvidia::TensorFormat rows{Precision::fp32, scores_, dense_strides(scores_)};
    const Id columns = graph_.intermediate(with_axes_swapped(rows), type);
    graph_.reshape(x, columns);
    return columns;
  }

  /// y = `scale` x `factor`; heads that share keys add up. `dims`: of y.
  void product(Id x, Id factor, float scale, std::int64_t size, Id y, const Dims& dims) {
    const std::int64_t length = dims[2];
    Id made = graph_.intermediate(Dims{forward_.batch, forward_.heads, length, size});
    graph_.multiply(x, factor, made);
    if (dims[1] != forward_.heads) {
      const Id sums = graph_.intermediate(dims);
      graph_.reduce(CUDNN_REDUCE_TENSOR_ADD, made, sums);
      made = sums;
    }
    made = scaled(scaled(made, scale, dims), 1, dims);
    graph_.pointwise({CUDNN_POINTWISE_MUL}, made, graph_.filled(single(), 1), y);
    add_largest(made);
  }

  Id score_gradients(Id weights, Id row_sums) {
    Id gradients = graph_.intermediate(scores_);
    graph_.multiply(operand(Place::output_gradient), operand(Place::v), gradients);
    gradients = scaled(scaled(gradients, 1, scores_), 1, scores_);
    gradients = combined(CUDNN_POINTWISE_SUB, gradients, row_sums, scores_);
    gradients = combined(CUDNN_POINTWISE_MUL, gradients, weights, scores_);
    gradients = combined(CUDNN_POINTWISE_MUL, gradients, graph_.scalar(forward_.scale, 4), scores_);
    add_largest(gradients);
    return scaled(gradients, scale_, scores_, type);
  }

  const Attention& forward_;
  float scale_;
  Dims scores_;
  Dims rows_;
  std::vector<nvidia::TensorFormat> results_;
  GraphCall call_;
  OperationGraph& graph_ = call_.graph;
};

}  // namespace

GraphCall attention_gradient_of_8_bits(const AttentionGradient& shape,
                                       const harness::Variant& variant) {
  return Pattern8(shape, variant).take();
}

}  // namespace benanza::cudnn
