#include <algorithm>
#include <bit>
#include <cstdint>

#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/ops/attention_gradient/pattern.h"

namespace benanza::cudnn {
namespace {

/// The operations in the order and with the types in which cudnn-frontend's node for 8-bit floats
/// states them (include/cudnn_frontend/node/sdpa_fp8_bwd.h): every product has the scales of its
/// operands and of its result behind it, and the largest value of each result, which frameworks
/// adjust the scales by, is a further result.
class Pattern8 : private AttentionGradientPattern {
 public:
  explicit Pattern8(const AttentionGradient& shape)
      : AttentionGradientPattern(shape, Precision::fp8, CUDNN_DATA_FP8_E4M3),
        scale_(scale_for(forward_)) {}

  GraphCall take() && {
    const Id row_sums = scaled(scaled(sums_of_rows(), 1, rows_), 1, rows_);
    const Id weights = make_weights();
    const Id dv = result(2);
    product(to_columns(scaled(weights, scale_, scores_, type_)), operand(Place::output_gradient),
            1 / scale_, forward_.value_size, dv, results_[2].dims);
    const Id gradients = score_gradients(weights, row_sums);
    const Id rows = rows_of_k(type_);
    const Id dq = result(0);
    product(gradients, rows, 1 / scale_, forward_.size, dq, results_[0].dims);
    const Id dk = result(1);
    product(to_columns(gradients), operand(Place::q), 1 / scale_, forward_.size, dk,
            results_[1].dims);
    return finish(dq, dk, dv);
  }

 private:
  /// Of weights and of the gradients of scores, whose largest are some times the mean weight of the
  /// queries that see the fewest keys (under a causal mask eight, as the inputs are made). The
  /// largest number of 8 bits is 448.
  static float scale_for(const Attention& forward) {
    const auto keys = static_cast<std::uint64_t>(forward.keys);
    return 16 * static_cast<float>(
                    std::bit_floor(forward.causal ? std::min<std::uint64_t>(8, keys) : keys));
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

  /// e^(score - logarithm).
  Id make_weights() {
    Id scores = scaled(scaled(scaled_scores(), 1, scores_), 1, scores_);
    scores = combined(CUDNN_POINTWISE_SUB, visible(scores), operand(Place::logarithms), scores_);
    return combined(CUDNN_POINTWISE_EXP, scores, OperationGraph::none, scores_);
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
    return scaled(gradients, scale_, scores_, type_);
  }

  float scale_;
};

}  // namespace

GraphCall attention_gradient_of_8_bits(const AttentionGradient& shape) {
  return Pattern8(shape).take();
}

}  // namespace benanza::cudnn
