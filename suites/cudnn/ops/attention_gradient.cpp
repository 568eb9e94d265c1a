#include "suites/cudnn/ops/attention_gradient.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/ops/attention.h"
#include "suites/cudnn/primitive/library.h"
#include "suites/harness/primitive.h"

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
