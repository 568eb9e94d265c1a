// Matrix products, and operators that consist of them.

#include <cmath>

#include "analysis/profiles/kineto/aten.h"

namespace benanza::analysis::kineto {
namespace {

Dims leading(const Dims& dims, std::size_t last) {
  return {dims.begin(), dims.end() - static_cast<std::ptrdiff_t>(last)};
}

Part product(const std::optional<Gemm>& gemm, const Dims& result) {
  return part("MatMul", gemm, result);
}

Part activated(std::string_view op, ActivationKind kind, const Dims& dims) {
  if (dims.empty()) return plain(op, dims);
  return part(op, std::optional(Activation{.input = dims, .kind = kind}), dims);
}

/// a: ... x m x k; b: ... x k x n.
std::optional<Gemm> gemm_of(const Dims& a, const Dims& b) {
  if (a.size() < 2 || b.size() < 2) return std::nullopt;
  Gemm gemm;
  gemm.m = a[a.size() - 2];
  gemm.n = b.back();
  gemm.k = a.back();
  if (b[b.size() - 2] != gemm.k) return std::nullopt;
  gemm.batch_a = leading(a, 2);
  gemm.batch_b = leading(b, 2);
  if (gemm.batch_b.empty()) {  // shared matrix: one product of all rows of a
    gemm.m *= element_count(gemm.batch_a);
    gemm.batch_a.clear();
  }
  while (gemm.batch_a.size() < gemm.batch_b.size()) {
    gemm.batch_a.insert(gemm.batch_a.begin(), 1);
  }
  while (gemm.batch_b.size() < gemm.batch_a.size()) {
    gemm.batch_b.insert(gemm.batch_b.begin(), 1);
  }
  return gemm;
}

/// As the matrices lie in memory: transposed, or one for several products.
std::optional<Gemm> as_stored(std::optional<Gemm> gemm, const Argument& a, const Argument& b) {
  if (!gemm) return gemm;
  const auto take = [](const Argument& from, bool& transposed, Dims& batch) {
    transposed = from.transposed;
    // Axes of 1 stand before those that the matrix has, if the other one has more.
    const std::size_t axes = from.dims.size() < 2 ? 0 : from.dims.size() - 2;
    if (batch.size() < axes) return;
    for (const std::size_t axis : from.repeated) batch[batch.size() - axes + axis] = 1;
  };
  // Rows of a shared product are the rows of all of its matrices, one behind the other.
  const bool is_shared = gemm->batch_a.empty() && a.dims.size() > 2;
  if (!is_shared) take(a, gemm->transpose_a, gemm->batch_a);
  take(b, gemm->transpose_b, gemm->batch_b);
  return gemm;
}

Dims with_last(const Dims& dims, std::int64_t last) {
  Dims result = dims;
  if (!result.empty()) result.back() = last;
  return result;
}

/// The addition of `addend` to the product's result.
Part addition(const Dims& result, Dims addend) {
  while (addend.size() < result.size()) addend.insert(addend.begin(), 1);
  return optional_part(part(
      "Add", std::optional(Binary{.kind = BinaryKind::add, .a = result, .b = std::move(addend)}),
      result));
}

// input ... x k, weight n x k, bias
std::vector<Part> linear(const Call& call) {
  const Dims& input = call.dims(0);
  const Dims& weights = call.dims(1);
  if (input.empty() || weights.size() != 2) return {plain("MatMul", {})};
  const std::int64_t rows = element_count(leading(input, 1));
  const Dims result = with_last(input, weights[0]);
  Gemm gemm;
  gemm.m = rows;
  gemm.n = weights[0];
  gemm.k = weights[1];
  gemm.transpose_b = true;
  gemm.constant_b = true;
  std::vector<Part> parts{product(gemm, result)};
  parts.front().output = result;
  parts.front().bias = call.is_tensor(2);
  if (call.is_tensor(2)) parts.push_back(addition(result, call.dims(2)));
  return parts;
}

// addend, a, b, beta, alpha. The factors do not affect the time, but a beta of 0 means no addend.
std::vector<Part> add_product(const Call& call) {
  const Dims& a = call.dims(1);
  const Dims& b = call.dims(2);
  if (a.size() < 2 || b.size() < 2) return {plain("MatMul", {})};
  const Dims result = with_last(a, b.back());
  Part first = product(as_stored(gemm_of(a, b), call.argument(1), call.argument(2)), result);
  const auto beta = call.real(3);
  call.real(4);
  if (!call.is_tensor(0) || beta == 0.0F) return {std::move(first)};
  const Dims& addend = call.dims(0);
  if (addend == result) {
    first.residual = true;
  } else if (element_count(addend) == result.back() && addend.back() == result.back()) {
    first.bias = true;
  } else {
    first.problem.clear();
    first.reason = "an addend of " + join(addend, 'x');
  }
  return {std::move(first), addition(result, addend)};
}

// ..., whether the function is GELU instead of ReLU
std::vector<Part> add_product_activation(const Call& call) {
  std::vector<Part> parts = add_product(call);
  const Dims result = parts.front().output;
  parts.push_back(call.truth(5) ? activated("Gelu", ActivationKind::gelu, result)
                                : activated("Relu", ActivationKind::relu, result));
  return parts;
}

// a, b
std::vector<Part> matmul(const Call& call) {
  Dims a = call.dims(0);
  Dims b = call.dims(1);
  if (a.empty() || b.empty()) return {plain("MatMul", {})};
  if (a.size() == 1) a.insert(a.begin(), 1);
  if (b.size() == 1) b.push_back(1);
  return {product(as_stored(gemm_of(a, b), call.argument(0), call.argument(1)),
                  with_last(a, b.back()))};
}

/// The call that does all of it. Its scale, which does not affect the time, is the usual one.
std::string whole_attention(const Call& call, std::optional<std::size_t> mask, bool causal) {
  const Dims& query = call.dims(0);
  const Dims& keys = call.dims(1);
  if (query.size() != 4) return {};
  Attention shape{.batch = query[0],
                  .heads = query[1],
                  .queries = query[2],
                  .size = query[3],
                  .kv_heads = keys[1],
                  .keys = keys[2],
                  .value_size = call.dims(2)[3],
                  .scale = 1 / std::sqrt(static_cast<float>(query[3])),
                  .mask = {},
                  .causal = causal};
  if (mask && call.is_tensor(*mask)) {
    shape.mask = call.dims(*mask);
    while (shape.mask.size() < 4) shape.mask.insert(shape.mask.begin(), 1);
  }
  return part("Attention", std::optional(shape)).problem;
}

/// What no call does: numbers at random become 0. Models for inference lack it.
Part dropped_out(std::string_view op, const Dims& dims) {
  Part made = optional_part(plain(op, dims));
  made.done = true;
  made.reason = "no library has dropout";
  return made;
}

/// Positions of an attention's arguments.
struct AttentionArguments {
  std::optional<std::size_t> mask;
  std::size_t dropout;
  std::size_t is_causal;
};

// query, key, value: ... x sequence x width; perhaps a mask. softmax(q k^T * scale + mask) v
std::vector<Part> attention(const Call& call, const AttentionArguments& at) {
  const std::optional<std::size_t> mask = at.mask;
  const std::size_t is_causal = at.is_causal;
  const Dims& query = call.dims(0);
  const Dims& keys = call.dims(1);
  const Dims& values = call.dims(2);
  if (query.size() < 3 || keys.size() != query.size() || values.size() != query.size()) {
    return {plain("MatMul", {}), plain("Softmax", {}), plain("MatMul", {})};
  }
  Dims transposed = keys;
  std::swap(transposed.back(), transposed[transposed.size() - 2]);
  const Dims scores = with_last(query, transposed.back());
  const std::optional<Softmax> softmax =
      Softmax{.input = scores, .axis = static_cast<std::int64_t>(scores.size()) - 1};
  const auto scaling = [](std::string_view op, const Dims& dims) {
    return optional_part(plain(op, dims), StepOperand::number);
  };
  std::vector<Part> parts{scaling("Mul", query), scaling("Mul", transposed),
                          product(gemm_of(query, transposed), scores), scaling("Mul", scores),
                          scaling("Div", scores)};
  if (mask && call.is_tensor(*mask)) {
    parts.push_back(addition(scores, call.dims(*mask)));
    parts.back().done = true;
  } else if (call.truth(is_causal)) {
    parts.push_back(optional_part(plain("Add", scores)));
  }
  parts.push_back(part("Softmax", softmax, scores));
  parts.push_back(product(gemm_of(scores, values), with_last(query, values.back())));
  const std::string whole = whole_attention(call, mask, call.truth(is_causal));
  for (Part& one : parts) one.whole = whole;
  if (const auto dropout = call.real(at.dropout); dropout && *dropout > 0) {
    parts.push_back(dropped_out("Dropout", scores));
  }
  return parts;
}

// ..., mask, dropout, causal
std::vector<Part> any_attention(const Call& call) {
  return attention(call, {.mask = 3, .dropout = 4, .is_causal = 5});
}
// ..., dropout, causal
std::vector<Part> flash_attention(const Call& call) {
  return attention(call, {.mask = std::nullopt, .dropout = 3, .is_causal = 4});
}
// ..., mask, statistics, dropout, causal
std::vector<Part> other_attention(const Call& call) {
  return attention(call, {.mask = 3, .dropout = 5, .is_causal = 6});
}

/// The gradients of attention's queries, keys and values: its products in the order in which they
/// are computed, and the one call. `forward` are the attention's own parts.
std::vector<Part> gradients_of(const std::vector<Part>& forward) {
  const std::string& whole = forward.front().whole;
  if (whole.empty()) return {plain("MatMulGrad", {}), plain("SoftmaxGrad", {})};
  const Attention shape = std::get<Attention>(parse(whole).shape);
  const auto dims = [&](std::int64_t rows, std::int64_t columns) {
    return Dims{shape.batch, shape.heads, rows, columns};
  };
  const Dims scores = dims(shape.queries, shape.keys);
  const Dims columns = dims(shape.keys, shape.queries);
  const auto of_product = [&](const Dims& a, const Dims& b) {
    return part("MatMulGrad", gemm_of(a, b), with_last(a, b.back()));
  };
  const Softmax softmax{.input = scores, .axis = 3};
  std::vector<Part> parts{
      of_product(columns, dims(shape.queries, shape.value_size)),
      of_product(dims(shape.queries, shape.value_size), dims(shape.value_size, shape.keys)),
      part("SoftmaxGrad", std::optional(SoftmaxGradient{softmax}), scores),
      optional_part(plain("MulGrad", scores)),
      optional_part(plain("DivGrad", scores)),
      of_product(scores, dims(shape.keys, shape.size)),
      of_product(columns, dims(shape.queries, shape.size))};
  const std::string together =
      part("AttentionGrad", std::optional(AttentionGradient{shape})).problem;
  for (Part& one : parts) one.whole = together;
  if (forward.back().op == "Dropout") parts.push_back(dropped_out("DropoutGrad", scores));
  return parts;
}

/// The attention whose gradient is made: queries, keys and values are arguments 1 to 3 of the call.
std::vector<Part> attention_of(const Call& call, const AttentionArguments& at) {
  Op forward{.name = "aten::scaled_dot_product_attention"};
  for (const std::size_t tensor : {1, 2, 3}) forward.arguments.push_back(call.argument(tensor));
  forward.arguments.push_back(at.mask ? call.argument(*at.mask) : Argument{});
  forward.arguments.push_back(call.argument(at.dropout));
  forward.arguments.push_back(call.argument(at.is_causal));
  return any_attention(Call(forward));
}

// gradient, query, key, value, result, statistics, four of sequences of other lengths, dropout,
// causal
std::vector<Part> flash_attention_backward(const Call& call) {
  return gradients_of(attention_of(call, {.mask = std::nullopt, .dropout = 10, .is_causal = 11}));
}
// gradient, query, key, value, mask, result, statistics, two of random numbers, dropout, which
// gradients are wanted, causal
std::vector<Part> efficient_attention_backward(const Call& call) {
  return gradients_of(attention_of(call, {.mask = 4, .dropout = 9, .is_causal = 11}));
}
// gradient, query, key, value, result, statistics, two of random numbers, mask, four of sequences
// of other lengths, dropout, causal
std::vector<Part> cudnn_attention_backward(const Call& call) {
  return gradients_of(attention_of(call, {.mask = 8, .dropout = 13, .is_causal = 14}));
}

template <Literal op>
std::vector<Part> recurrence(const Call&) {
  return {plain(op.text, {})};
}

constexpr Entry product_table[] = {
    {"linear", linear},
    {"addmm", add_product},
    {"_addmm_activation", add_product_activation},
    {"baddbmm", add_product},
    {"mm", matmul},
    {"bmm", matmul},
    {"matmul", matmul},
    {"mv", matmul},
    // Its scale, and whether heads share keys, which the extents tell.
    {"scaled_dot_product_attention", any_attention, arguments<6, 7>, Types::of_first},
    // A copy of the mask for debugging, the scale.
    {"_scaled_dot_product_flash_attention", flash_attention, arguments<5, 6>, Types::of_first},
    // Whether statistics are wanted, the scale (and that copy).
    {"_scaled_dot_product_efficient_attention", other_attention, arguments<4, 7>, Types::of_first},
    {"_scaled_dot_product_cudnn_attention", other_attention, arguments<4, 7, 8>, Types::of_first},
    // The results of the forward pass, its random numbers, the lengths (which the extents tell).
    {"_scaled_dot_product_flash_attention_backward", flash_attention_backward,
     arguments<0, 4, 5, 6, 7, 8, 9, 12, 13, 14>, Types::of_first},
    {"_scaled_dot_product_efficient_attention_backward", efficient_attention_backward,
     arguments<0, 5, 6, 7, 8, 10, 12>, Types::of_first},
    {"_scaled_dot_product_cudnn_attention_backward", cudnn_attention_backward,
     arguments<0, 4, 5, 6, 7, 9, 10, 11, 12, 15>, Types::of_first},
    {"lstm", recurrence<"LSTM">},
    {"gru", recurrence<"GRU">},
    {"rnn_tanh", recurrence<"RNN">},
    {"rnn_relu", recurrence<"RNN">},
};

}  // namespace

std::span<const Entry> product_operators() { return product_table; }

}  // namespace benanza::analysis::kineto
