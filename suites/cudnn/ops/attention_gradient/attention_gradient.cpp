#include "suites/cudnn/ops/attention_gradient/attention_gradient.h"

#include <utility>

#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/ops/attention.h"
#include "suites/cudnn/solvers.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {
namespace {

using Id = OperationGraph::Id;
using Place = AttentionGradient::Place;

/// The operations in the order and with the types in which cudnn-frontend's SDPA backward node
/// states them (include/cudnn_frontend/node/scaled_dot_product_flash_attention.h).
class Pattern {
 public:
  Pattern(const AttentionGradient& shape, const harness::Variant& variant)
      : forward_(shape.forward),
        type_(storage_type(variant.precision)),
        scores_{forward_.batch, forward_.heads, forward_.queries, forward_.keys},
        rows_{forward_.batch, forward_.heads, forward_.queries, 1},
        results_(attention_gradient_results(shape, variant.precision)),
        call_(attention_gradient_operands(shape, variant.precision, type_)) {
    call_.output = results_[0];
  }

  GraphCall take() && {
    const Id row_sums = sums_of_rows();
    const Id weights = make_weights();
    const Id dv = result(2);
    add_up(to_columns(weights), operand(Place::output_gradient), forward_.value_size, dv);
    const Id gradients = score_gradients(weights, row_sums);
    const Id dk = result(1);
    add_up(to_columns(gradients), operand(Place::q), forward_.size, dk);
    const Id dq = query_gradient(gradients);
    call_.bound.push_back(dq);
    call_.further_results = {{dk, results_[1]}, {dv, results_[2]}};
    return std::move(call_);
  }

 private:
  Id operand(Place place) const { return call_.bound[place]; }
  Id result(std::size_t index) { return graph_.tensor(results_[index]); }

  Id combined(cudnnPointwiseMode_t mode, Id x, Id y, const Dims& dims) {
    const Id made = graph_.intermediate(dims);
    graph_.pointwise({mode}, x, y, made);
    return made;
  }

  /// A result that the library needs in memory.
  Id stored(const Dims& dims) {
    const nvidia::TensorFormat format{Precision::fp32, dims, dense_strides(dims)};
    const Id id = graph_.tensor(format);
    call_.ignored_results.push_back({id, format});
    return id;
  }

  /// The sum of dO O along each row.
  Id sums_of_rows() {
    const Id products = combined(CUDNN_POINTWISE_MUL, operand(Place::output_gradient),
                                 operand(Place::result), forward_.output());
    const Id sums = graph_.intermediate(rows_);
    graph_.reduce(CUDNN_REDUCE_TENSOR_ADD, products, sums);
    // Dropout's factor.
    const Id scaled = stored(rows_);
    graph_.pointwise({CUDNN_POINTWISE_MUL}, sums, graph_.scalar(1, 4), scaled);
    return scaled;
  }

  /// e^(score - logarithm).
  Id make_weights() {
    Id scores = graph_.intermediate(scores_);
    graph_.multiply(operand(Place::q), operand(Place::k), scores);
    scores = combined(CUDNN_POINTWISE_MUL, scores, graph_.scalar(forward_.scale, 4), scores_);
    if (!forward_.mask.empty()) {
      scores = combined(CUDNN_POINTWISE_ADD, scores, operand(Place::mask), scores_);
    }
    // In the order of the pattern: shifted before it is masked.
    scores = combined(CUDNN_POINTWISE_SUB, scores, operand(Place::logarithms), scores_);
    if (forward_.causal) scores = lower_triangle(graph_, scores_, scores);
    if (forward_.window > 0) scores = last_keys(graph_, scores_, forward_.window, scores);
    return combined(CUDNN_POINTWISE_EXP, scores, OperationGraph::none, scores_);
  }

  /// `x`, of queries by keys, as keys by queries in the type of the values.
  Id to_columns(Id x) {
    const nvidia::TensorFormat rows{Precision::fp32, scores_, dense_strides(scores_)};
    const Id columns = graph_.intermediate(with_axes_swapped(rows), type_);
    graph_.reshape(x, columns);
    return columns;
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
    const Id rows_of_k = graph_.intermediate(call_.inputs[Place::k]);
    graph_.reshape(operand(Place::k), rows_of_k);
    const Id sums = stored(results_[0].dims);
    graph_.multiply(gradients, rows_of_k, sums);
    const Id dq = result(0);
    graph_.pointwise({CUDNN_POINTWISE_IDENTITY}, sums, OperationGraph::none, dq);
    return dq;
  }

  const Attention& forward_;
  cudnnDataType_t type_;
  Dims scores_;
  Dims rows_;
  std::vector<nvidia::TensorFormat> results_;
  GraphCall call_;
  OperationGraph& graph_ = call_.graph;
};

}  // namespace

nvidia::TensorFormat with_axes_swapped(nvidia::TensorFormat format) {
  std::swap(format.dims[2], format.dims[3]);
  std::swap(format.strides[2], format.strides[3]);
  return format;
}

GraphCall attention_gradient_operands(const AttentionGradient& shape, Precision precision,
                                      cudnnDataType_t type) {
  GraphCall call;
  const std::vector<Operand> operands = shape.inputs();
  for (std::size_t index = 0; index < operands.size(); ++index) {
    const bool is_of_rows = index == Place::logarithms;
    const Dims& dims = operands[index].dims;
    call.inputs.push_back({is_of_rows ? Precision::fp32 : precision, dims, dense_strides(dims)});
    const bool is_column = index == Place::k || index == Place::v;
    const nvidia::TensorFormat& format = call.inputs.back();
    call.bound.push_back(call.graph.tensor(is_column ? with_axes_swapped(format) : format,
                                           is_of_rows ? CUDNN_DATA_FLOAT : type));
  }
  return call;
}

std::vector<nvidia::TensorFormat> attention_gradient_results(const AttentionGradient& shape,
                                                             Precision precision) {
  std::vector<nvidia::TensorFormat> results;
  for (const Dims& dims : shape.results()) {
    results.push_back({precision, dims, dense_strides(dims)});
  }
  return results;
}

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
  found.push_back(is_fp8 ? attention_gradient_of_8_bits(shape, variant)
                         : Pattern(shape, variant).take());
  return found;
}

void register_attention_gradient(SolverTable& table) {
  table.add(graph_solver<AttentionGradient>(
      [](const AttentionGradient&) { return std::vector{Layout::plain}; },
      attention_gradient_graphs));
}

}  // namespace benanza::cudnn
