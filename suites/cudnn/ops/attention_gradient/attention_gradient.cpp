#include "suites/cudnn/ops/attention_gradient/attention_gradient.h"

#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/ops/attention_gradient/pattern.h"
#include "suites/cudnn/ways.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {
namespace {

/// The operations in the order and with the types in which cudnn-frontend's SDPA backward node
/// states them (include/cudnn_frontend/node/scaled_dot_product_flash_attention.h).
class GradientPattern : private AttentionGradientPattern {
 public:
  GradientPattern(const AttentionGradient& shape, Precision precision)
      : AttentionGradientPattern(shape, precision, storage_type(precision)) {}

  GraphCall take() && {
    // Dropout's factor.
    const Id row_sums = stored(rows_);
    graph_.pointwise({CUDNN_POINTWISE_MUL}, sums_of_rows(), graph_.scalar(1, 4), row_sums);
    const Id weights = make_weights();
    const Id dv = result(2);
    add_up(to_columns(weights), operand(Place::output_gradient), forward_.value_size, dv);
    const Id gradients = score_gradients(weights, row_sums);
    const Id dk = result(1);
    add_up(to_columns(gradients), operand(Place::q), forward_.size, dk);
    return finish(query_gradient(gradients), dk, dv);
  }

 private:
  /// A result that the library needs in memory.
  Id stored(const Dims& dims) {
    const nvidia::TensorFormat format{Precision::fp32, dims, dense_strides(dims)};
    const Id id = graph_.tensor(format);
    call_.ignored_results.push_back({id, format});
    return id;
  }

  /// e^(score - logarithm).
  Id make_weights() {
    Id scores = scaled_scores();
    if (!forward_.mask.empty()) {
      scores = combined(CUDNN_POINTWISE_ADD, scores, operand(Place::mask), scores_);
    }
    // In the order of the pattern: shifted before it is masked.
    scores = combined(CUDNN_POINTWISE_SUB, scores, operand(Place::logarithms), scores_);
    return combined(CUDNN_POINTWISE_EXP, visible(scores), OperationGraph::none, scores_);
  }

  /// y = x times `factor`; heads that share keys add up.
  void add_up(Id x, Id factor, std::int64_t size, Id y) {
    if (forward_.heads == forward_.kv_heads) return graph_.multiply(x, factor, y);
    const Id of_heads =
        graph_.intermediate(Dims{forward_.batch, forward_.heads, forward_.keys, size}, type_);
    graph_.multiply(x, factor, of_heads);
    graph_.reduce(CUDNN_REDUCE_TENSOR_ADD, of_heads, y);
  }

  Id score_gradients(Id weights, Id row_sums) {
    Id gradients = graph_.intermediate(scores_);
    graph_.multiply(operand(Place::output_gradient), operand(Place::v), gradients);
    gradients = combined(CUDNN_POINTWISE_SUB, gradients, row_sums, scores_);
    gradients = combined(CUDNN_POINTWISE_MUL, gradients, weights, scores_);
    return combined(CUDNN_POINTWISE_MUL, gradients, graph_.scalar(forward_.scale, 4), scores_);
  }

  /// Summed up in fp32, in memory.
  Id query_gradient(Id gradients) {
    const Id rows = rows_of_k(CUDNN_DATA_FLOAT);
    const Id sums = stored(results_[0].dims);
    graph_.multiply(gradients, rows, sums);
    const Id dq = result(0);
    graph_.pointwise({CUDNN_POINTWISE_IDENTITY}, sums, OperationGraph::none, dq);
    return dq;
  }
};

}  // namespace

std::vector<GraphCall> attention_gradient_graphs(const AttentionGradient& shape,
                                                 const harness::Variant& variant) {
  const bool is_fp8 = variant.precision == Precision::fp8;
  if (element_bytes(variant.precision) != 2 && !is_fp8) {
    throw harness::Unsupported("cuDNN computes gradients of attention in 16 bits and fp8 only");
  }
  if (is_fp8 && !shape.forward.mask.empty()) {
    throw harness::Unsupported(
        "cuDNN is asked for fp8 gradients of attention without an added mask only");
  }
  if (shape.forward.causal && shape.forward.queries != shape.forward.keys) {
    throw harness::Unsupported(
        "cuDNN's causal mask is asked for only where queries are as many as keys");
  }
  std::vector<GraphCall> found;
  found.push_back(is_fp8 ? attention_gradient_of_8_bits(shape)
                         : GradientPattern(shape, variant.precision).take());
  return found;
}

void register_attention_gradient(WayTable& table) {
  table.add(engines_of<AttentionGradient>(
      [](const AttentionGradient&) { return std::vector{Layout::plain}; },
      attention_gradient_graphs));
}

}  // namespace benanza::cudnn
