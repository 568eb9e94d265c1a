#include "suites/cudnn/ops/attention.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/problem/ops/attention.h"
#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/primitive/library.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {
namespace {

using Id = OperationGraph::Id;

nvidia::TensorFormat attention_row_major(Precision precision, const Dims& dims) {
  return {precision, dims, dense_strides(dims)};
}

/// Lets the caller's strides take the place of dense ones.
void set_strides(GraphCall& call, const harness::Strides& strides) {
  call.strided_axes = 4;
  for (std::size_t index = 0; index < strides.operands.size(); ++index) {
    const Dims& own = strides.operands[index];
    if (!own.empty()) call.inputs.at(index).strides = own;
  }
  if (!strides.result.empty()) call.output.strides = strides.result;
}

GraphCall begin(const Attention& shape, const harness::Variant& variant) {
  GraphCall call;
  for (const Operand& operand : shape.inputs()) {
    call.inputs.push_back(attention_row_major(variant.precision, operand.dims));
  }
  if (shape.sink) {
    call.inputs.back() = attention_row_major(Precision::fp32, {1, shape.heads, 1, 1});
  }
  call.output = attention_row_major(variant.precision, shape.output());
  set_strides(call, variant.strides);
  return call;
}

/// The library's single operation for all of it.
GraphCall unified(const Attention& shape, const harness::Variant& variant) {
  GraphCall call = begin(shape, variant);
  call.prefix = "unified.";
  OperationGraph& graph = call.graph();
  for (const nvidia::TensorFormat& format : call.inputs) call.bound.push_back(graph.tensor(format));
  call.bound.push_back(graph.tensor(call.output));
  const Id scale = graph.scalar(shape.scale, 4);
  Descriptor& sdpa = graph.add(CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR);
  sdpa.set(CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC, graph.at(call.bound[0]));
  sdpa.set(CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC, graph.at(call.bound[1]));
  sdpa.set(CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC, graph.at(call.bound[2]));
  sdpa.set(CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC, graph.at(call.bound[3]));
  sdpa.set(CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC, graph.at(scale));
  return call;
}

/// Its parts, which the library recognizes as a pattern: the scores never reach memory. With 8-bit
/// floats, every product has the scales of its operands behind it, and the largest weight and
/// result, which frameworks adjust the scales by, are further results.
class AttentionPattern {
 public:
  /// `queries_in_heads`: as many heads that follow each other in `shape` are the queries of one.
  AttentionPattern(const Attention& shape, const harness::Variant& variant,
                   std::int64_t queries_in_heads = 1)
      : shape_(shape),
        queries_in_heads_(queries_in_heads),
        is_fp8_(variant.precision == Precision::fp8),
        type_(graph_type(variant.precision)),
        dims_{shape.batch, shape.heads, shape.queries, shape.keys},
        call_(begin(shape, variant)) {
    const Id q = graph_.tensor(call_.inputs[0], type_);
    // The keys as columns: the same memory with two axes swapped.
    nvidia::TensorFormat columns = call_.inputs[1];
    std::swap(columns.dims[2], columns.dims[3]);
    std::swap(columns.strides[2], columns.strides[3]);
    const Id k = graph_.tensor(columns, type_);
    const Id v = graph_.tensor(call_.inputs[2], type_);
    call_.bound = {q, k, v};
    const Id weights = make_weights(make_scores(q, k));
    const Id o = graph_.tensor(call_.output, type_);
    make_result(weights, v, o);
    call_.bound.push_back(o);
  }

  GraphCall take() && { return std::move(call_); }

 private:
  /// Weights are at most 1, and the smallest number of 8 bits is 1/512.
  static constexpr float weight_scale = 256;

  Id combined(cudnnPointwiseMode_t mode, Id x, Id operand, cudnnDataType_t type) {
    const Id made = graph_.intermediate(dims_, type);
    graph_.pointwise({mode}, x, operand, made);
    return made;
  }

  Id combined(cudnnPointwiseMode_t mode, Id x, Id operand = OperationGraph::none) {
    return combined(mode, x, operand, CUDNN_DATA_FLOAT);
  }

  Id reduced(cudnnReduceTensorOp_t op, Id x) {
    const Id made = graph_.intermediate(Dims{shape_.batch, shape_.heads, shape_.queries, 1});
    graph_.reduce(op, x, made);
    return made;
  }

  static nvidia::TensorFormat single() {
    return attention_row_major(Precision::fp32, {1, 1, 1, 1});
  }

  Id in_memory(float value) { return graph_.filled(single(), value); }

  void add_largest(Id x) {
    const Id largest = graph_.tensor(single());
    graph_.reduce(CUDNN_REDUCE_TENSOR_AMAX, x, largest);
    call_.ignored_results.push_back({largest, single()});
  }

  Id make_scores(Id q, Id k) {
    Id scores = graph_.intermediate(dims_);
    graph_.multiply(q, k, scores);
    scores = combined(CUDNN_POINTWISE_MUL, scores, graph_.scalar(shape_.scale, 4));
    if (is_fp8_) {
      for (int factor = 0; factor < 2; ++factor) {
        scores = combined(CUDNN_POINTWISE_MUL, scores, in_memory(1));
      }
    }
    if (shape_.soft_cap > 0) {
      const Id cap = graph_.scalar(shape_.soft_cap, 4);
      scores = combined(CUDNN_POINTWISE_DIV, scores, cap);
      scores = combined(CUDNN_POINTWISE_TANH_FWD, scores);
      scores = combined(CUDNN_POINTWISE_MUL, scores, cap);
    }
    if (!shape_.mask.empty()) {
      const Id mask = graph_.tensor(call_.inputs[3]);
      call_.bound.push_back(mask);
      scores = combined(CUDNN_POINTWISE_ADD, scores, mask);
    }
    if (queries_in_heads_ > 1) return shape_.causal ? masked_by_heads(scores) : scores;
    if (shape_.causal) scores = lower_triangle(graph_, dims_, scores);
    if (shape_.window > 0) scores = last_keys(graph_, dims_, shape_.window, scores);
    return scores;
  }

  /// By numbers in memory, made once: the library does not offer the pattern with a comparison of
  /// numbers for each head, and computes remainders of the heads' indices wrongly (9.19).
  Id masked_by_heads(Id scores) {
    // As a float of 16 bits; e to the power of it is 0.
    constexpr float unseen = -30000;
    Attention several = shape_;
    several.queries = queries_in_heads_;
    std::vector<float> values;
    for (std::int64_t query = 0; query < several.queries; ++query) {
      const auto [begin, end] = several.visible_keys(query);
      for (std::int64_t key = 0; key < several.keys; ++key) {
        values.push_back(key >= begin && key < end ? 0 : unseen);
      }
    }
    const Id mask = graph_.repeated(
        attention_row_major(call_.inputs[0].precision, {1, shape_.heads, 1, shape_.keys}),
        std::move(values));
    return combined(CUDNN_POINTWISE_ADD, scores, mask);
  }

  /// One number for each query.
  Id of_rows(cudnnPointwiseMode_t mode, Id x, Id operand = OperationGraph::none) {
    const Id made = graph_.intermediate(Dims{shape_.batch, shape_.heads, shape_.queries, 1});
    graph_.pointwise({mode}, x, operand, made);
    return made;
  }

  /// The softmax, in the type of V.
  Id make_weights(Id scores) {
    Id largest = reduced(CUDNN_REDUCE_TENSOR_MAX, scores);
    Id sinks = OperationGraph::none;
    if (shape_.sink) {
      sinks = graph_.tensor(call_.inputs.back());
      call_.bound.push_back(sinks);
      largest = of_rows(CUDNN_POINTWISE_MAX, largest, sinks);
    }
    scores = combined(CUDNN_POINTWISE_SUB, scores, largest);
    scores = combined(CUDNN_POINTWISE_EXP, scores);
    Id sum = OperationGraph::none;
    if (shape_.sink) {
      const Id term = of_rows(CUDNN_POINTWISE_EXP, of_rows(CUDNN_POINTWISE_SUB, sinks, largest));
      sum = of_rows(CUDNN_POINTWISE_ADD, reduced(CUDNN_REDUCE_TENSOR_ADD, scores), term);
    } else {
      sum = reduced(CUDNN_REDUCE_TENSOR_ADD, scores);
    }
    // The logarithm of the sum is unused, but without it the library does not recognize the
    // pattern.
    of_rows(CUDNN_POINTWISE_ADD, largest, of_rows(CUDNN_POINTWISE_LOG, sum));
    if (!is_fp8_) return combined(CUDNN_POINTWISE_DIV, scores, sum, type_);
    scores = combined(CUDNN_POINTWISE_DIV, scores, sum);
    add_largest(scores);
    return combined(CUDNN_POINTWISE_MUL, scores, in_memory(weight_scale), type_);
  }

  void make_result(Id weights, Id v, Id o) {
    if (!is_fp8_) return graph_.multiply(weights, v, o);
    const auto scaled = [&](Id x, float factor) {
      const Id made = graph_.intermediate(shape_.output());
      graph_.pointwise({CUDNN_POINTWISE_MUL}, x, in_memory(factor), made);
      return made;
    };
    Id result = graph_.intermediate(shape_.output());
    graph_.multiply(weights, v, result);
    result = scaled(scaled(result, 1 / weight_scale), 1);
    graph_.pointwise({CUDNN_POINTWISE_MUL}, result, in_memory(1), o);
    add_largest(result);
  }

  const Attention& shape_;
  std::int64_t queries_in_heads_;
  bool is_fp8_;
  cudnnDataType_t type_;
  Dims dims_;
  GraphCall call_;
  OperationGraph& graph_ = call_.graph();
};

/// The same with every query as a head of its own, in the same memory. The library splits the keys
/// of single queries among its blocks, not those of several.
GraphCall queries_as_heads(const Attention& shape, const harness::Variant& variant) {
  Attention single = shape;
  single.heads *= shape.queries;
  single.queries = 1;
  GraphCall call = AttentionPattern(single, variant, shape.queries).take();
  call.prefix = "queries.";
  return call;
}

/// Whether one query's heads with the same keys can be the queries of one head, which see all keys.
bool heads_can_be_queries(const Attention& shape) {
  return shape.queries == 1 && shape.heads > shape.kv_heads && !shape.causal;
}

/// The pattern with heads as queries, in the same memory: at fp8, no engine for Hopper takes single
/// queries (9.19).
GraphCall heads_as_queries(const Attention& shape, const harness::Variant& variant) {
  Attention several = shape;
  several.queries = shape.heads / shape.kv_heads;
  several.heads = shape.kv_heads;
  GraphCall call = AttentionPattern(several, variant).take();
  call.prefix = "heads.";
  return call;
}

/// `scores`, where `seen` is true, and the lowest float elsewhere.
Id selected(OperationGraph& graph, const Dims& dims, Id scores, Id seen) {
  const Id made = graph.intermediate(dims);
  graph.pointwise({CUDNN_POINTWISE_BINARY_SELECT}, scores,
                  graph.scalar(std::numeric_limits<float>::lowest(), 4), made, seen);
  return made;
}

/// The index of each element of `like` along an axis.
Id index_of(OperationGraph& graph, const Dims& dims, Id like, std::int64_t axis) {
  const Id made = graph.intermediate(dims, CUDNN_DATA_INT32);
  graph.pointwise(
      {.mode = CUDNN_POINTWISE_GEN_INDEX, .compute_type = CUDNN_DATA_INT32, .axis = axis}, like,
      OperationGraph::none, made);
  return made;
}

}  // namespace

OperationGraph::Id lower_triangle(OperationGraph& graph, const Dims& dims,
                                  OperationGraph::Id scores) {
  Id row = index_of(graph, dims, scores, 2);
  if (dims[2] != dims[3]) {
    const auto moved = [&](cudnnPointwiseMode_t mode, std::int64_t by) {
      const Id made = graph.intermediate(dims, CUDNN_DATA_INT32);
      graph.pointwise({.mode = mode, .compute_type = CUDNN_DATA_INT32, .axis = 3}, row,
                      graph.integer(static_cast<std::int32_t>(by), 4), made);
      row = made;
    };
    moved(CUDNN_POINTWISE_ADD, dims[3]);
    moved(CUDNN_POINTWISE_SUB, dims[2]);
  }
  const Id column = index_of(graph, dims, scores, 3);
  const Id seen = graph.intermediate(dims, CUDNN_DATA_BOOLEAN);
  graph.pointwise({.mode = CUDNN_POINTWISE_CMP_GE, .compute_type = CUDNN_DATA_BOOLEAN}, row, column,
                  seen);
  return selected(graph, dims, scores, seen);
}

OperationGraph::Id last_keys(OperationGraph& graph, const Dims& dims, std::int64_t window,
                             OperationGraph::Id scores) {
  const Id row = index_of(graph, dims, scores, 2);
  const Id column = index_of(graph, dims, scores, 3);
  const Id shifted = graph.intermediate(dims);
  const std::int64_t behind = window - dims[3] + dims[2];
  graph.pointwise({CUDNN_POINTWISE_ADD}, column, graph.scalar(static_cast<float>(behind), 4),
                  shifted);
  const Id seen = graph.intermediate(dims, CUDNN_DATA_BOOLEAN);
  graph.pointwise({.mode = CUDNN_POINTWISE_CMP_GT, .compute_type = CUDNN_DATA_BOOLEAN}, shifted,
                  row, seen);
  return selected(graph, dims, scores, seen);
}

std::vector<GraphCall> attention_graphs(const Attention& shape, const harness::Variant& variant) {
  if (variant.precision == Precision::int8) {
    throw harness::Unsupported("int8 attention needs a scale of its own for every part");
  }
  const bool is_plain = shape.mask.empty() && shape.soft_cap == 0 && !shape.sink;
  if (variant.precision == Precision::fp8 && !is_plain) {
    throw harness::Unsupported(
        "cuDNN is asked for fp8 attention without an added mask, a cap or sinks only");
  }
  // With more elements, engines for few queries end in an illegal access (9.19, H200: 8 sequences,
  // 2 queries, 2,048 keys, heads of 256).
  constexpr std::int64_t most_elements = 128;
  const std::int64_t rows = shape.queries * shape.heads / shape.kv_heads;
  const bool is_long = std::max(shape.size, shape.value_size) > most_elements;
  if (variant.precision == Precision::fp8 && is_long && rows < most_elements) {
    throw harness::Unsupported("cuDNN is asked for few queries at fp8 with heads of at most " +
                               std::to_string(most_elements) + " elements");
  }
  if (shape.causal && shape.queries > shape.keys) {
    throw harness::Unsupported("a causal mask that hides all keys from some queries");
  }
  std::vector<GraphCall> found;
  found.push_back(AttentionPattern(shape, variant).take());
  if (variant.precision == Precision::fp8 && heads_can_be_queries(shape)) {
    found.push_back(heads_as_queries(shape, variant));
  }
  const bool is_half = element_bytes(variant.precision) == 2;
  const bool are_dense = variant.strides.result.empty() &&
                         (variant.strides.operands.empty() || variant.strides.operands[0].empty());
  if (is_half && are_dense && queries_can_be_heads(shape)) {
    found.push_back(queries_as_heads(shape, variant));
  }
  // For 32-bit data the library offers an engine for it that writes outside its shared memory
  // (9.14) or ends in an illegal access (9.19); the pattern's engine is correct.
  if (is_plain && !shape.causal && is_half) found.push_back(unified(shape, variant));
  return found;
}

void register_attention(WayTable& table) {
  table.add(engines_of<Attention>([](const Attention&) { return std::vector{Layout::plain}; },
                                  attention_graphs));
}

}  // namespace benanza::cudnn
