#include <cmath>

#include "models/language/graph.h"
#include "models/language/layers.h"

/// Multi-head latent attention: DeepSeek-AI, "DeepSeek-V2", 2024, section 2.1 and appendix C. A
/// whole prompt is computed with the keys and values that the latent rows stand for; queries behind
/// a past take the expansion into themselves and see the latent rows, which all heads share.
namespace benanza::language {

using ::onnx::TensorProto;

Tensor LayerWriter::attention(const std::string& name, const Tensor& x,
                              const LatentAttention& attention) {
  LatentAttention mine = attention;
  mine.heads = share(attention.heads, pass_.tensor_parallel, "heads of queries");
  const std::int64_t size = mine.plain_size + mine.rotated;
  Tensor q = x;
  if (mine.query_rank > 0) {
    q = multiply(q, name + ".q_a_proj", mine.query_rank, mine.bias);
    q = rms_norm(graph_, name + ".q_a_layernorm", q, decoder_.epsilon);
    q = multiply(q, name + ".q_b_proj", mine.heads * size);
  } else {
    q = multiply(q, name + ".q_proj", mine.heads * size);
  }
  const std::int64_t b = pass_.batch;
  const std::int64_t s = pass_.tokens;
  q = reshaped(graph_, name + ".q_heads", q, {b, s, mine.heads, size});
  const auto halves = split(graph_, name + ".q_split", q, {mine.plain_size, mine.rotated});
  const auto rotated = [&](const std::string& what, const Tensor& heads, std::int64_t count) {
    const Tensor rows = reshaped(graph_, what + ".rows", heads, {b, s, count * mine.rotated});
    return rotate(what, rows, mine.rotated, mine.rotated, true);
  };
  const Tensor q_rotated = rotated(name + ".q_rotary", halves[1], mine.heads);

  const Tensor row = multiply(x, name + ".kv_a_proj_with_mqa", mine.rank + mine.rotated, mine.bias);
  const auto parts = split(graph_, name + ".kv_split", row, {mine.rank, mine.rotated});
  const Tensor latent = rms_norm(graph_, name + ".kv_a_layernorm", parts[0], decoder_.epsilon);
  const Tensor k_rotated = rotated(name + ".k_rotary", parts[1], 1);
  const Tensor fresh = concatenated(graph_, name + ".latent", latent, k_rotated);
  const Dims cache{b, pass_.keys(), mine.rank + mine.rotated};
  const Tensor past = graph_.input(name + ".past", TensorProto::FLOAT, cache);
  const Tensor start =
      graph_.constant("past_lengths", TensorProto::INT64, {b}, static_cast<float>(pass_.past));
  const Tensor all = graph_.add("TensorScatter", name + ".present", {past, fresh, start}, cache);
  graph_.output(all, TensorProto::FLOAT);
  cache_.per_token += 2 * (mine.rank + mine.rotated);

  const Tensor y = pass_.past == 0 ? expanded(name, halves[0], q_rotated, latent, k_rotated, mine)
                                   : absorbed(name, halves[0], q_rotated, all, mine);
  return multiply_and_reduce(y, name + ".o_proj", mine.bias);
}

Tensor LayerWriter::expanded(const std::string& name, const Tensor& plain, const Tensor& rotated,
                             const Tensor& latent, const Tensor& rotated_key,
                             const LatentAttention& mine) {
  const std::int64_t b = pass_.batch;
  const std::int64_t s = pass_.tokens;
  const std::int64_t size = mine.plain_size + mine.rotated;
  const Dims rotated_dims{b, s, mine.heads, mine.rotated};
  Tensor q = concatenated(graph_, name + ".q", plain,
                          reshaped(graph_, name + ".q_rotated", rotated, rotated_dims));
  q = reshaped(graph_, name + ".q_rows", q, {b, s, mine.heads * size});
  Tensor kv =
      multiply(latent, name + ".kv_b_proj", mine.heads * (mine.plain_size + mine.value_size));
  kv = reshaped(graph_, name + ".kv_heads", kv,
                {b, s, mine.heads, mine.plain_size + mine.value_size});
  const auto halves = split(graph_, name + ".kv", kv, {mine.plain_size, mine.value_size});
  const Tensor one = reshaped(graph_, name + ".k_rotated", rotated_key, {b, s, 1, mine.rotated});
  const Tensor shared =
      graph_.add("Expand", name + ".k_shared",
                 {one, graph_.integers(name + ".k_shared.shape", rotated_dims)}, rotated_dims);
  Tensor k = concatenated(graph_, name + ".k", halves[0], shared);
  k = reshaped(graph_, name + ".k_rows", k, {b, s, mine.heads * size});
  const Tensor v =
      reshaped(graph_, name + ".v_rows", halves[1], {b, s, mine.heads * mine.value_size});
  const Tensor y = graph_.add("Attention", name, {q, k, v}, v.dims);
  ::onnx::NodeProto& node = graph_.last();
  zoo::set(node, "q_num_heads", mine.heads);
  zoo::set(node, "kv_num_heads", mine.heads);
  zoo::set(node, "is_causal", std::int64_t{1});
  if (mine.scale != 0) zoo::set(node, "scale", mine.scale);
  return y;
}

Tensor LayerWriter::absorbed(const std::string& name, const Tensor& plain, const Tensor& rotated,
                             const Tensor& cache, const LatentAttention& mine) {
  const std::int64_t b = pass_.batch;
  const std::int64_t s = pass_.tokens;
  const std::int64_t rows = pass_.rows();
  const std::int64_t width = mine.rank + mine.rotated;
  const float scale = mine.scale != 0
                          ? mine.scale
                          : 1.0F / std::sqrt(static_cast<float>(mine.plain_size + mine.rotated));
  const auto by_heads = [&](const std::string& what, const Tensor& x, std::int64_t size) {
    return transposed(graph_, what + ".by_heads",
                      reshaped(graph_, what + ".heads", x, {rows, mine.heads, size}), {1, 0, 2});
  };
  const auto of_heads = [&](const std::string& what, const Tensor& x, std::int64_t to) {
    const Tensor weights = graph_.parameter(what + ".weight", {mine.heads, x.dims[2], to},
                                            1.0F / static_cast<float>(x.dims[2]));
    return graph_.add("MatMul", what, {x, weights}, {mine.heads, rows, to});
  };
  Tensor q = of_heads(name + ".kv_b_proj.keys", by_heads(name + ".q_plain", plain, mine.plain_size),
                      mine.rank);
  q = concatenated(graph_, name + ".q", q, by_heads(name + ".q_rotated", rotated, mine.rotated));
  q = reshaped(graph_, name + ".q_rows", transposed(graph_, name + ".q_by_tokens", q, {1, 0, 2}),
               {b, s * mine.heads, width});
  Tensor scores =
      graph_.add("FusedMatMul", name + ".scores", {q, cache}, {b, s * mine.heads, pass_.keys()});
  graph_.last().set_domain("com.microsoft");
  zoo::set(graph_.last(), "transB", std::int64_t{1});
  zoo::set(graph_.last(), "alpha", scale);
  const Dims dims = scores.dims;
  if (s > 1) {
    scores = reshaped(graph_, name + ".scores_by_tokens", scores, {b, s, mine.heads, pass_.keys()});
    scores =
        elementwise(graph_, "Add", name + ".mask", scores,
                    graph_.constant("causal_mask", TensorProto::FLOAT, {s, 1, pass_.keys()}, -1));
    scores = reshaped(graph_, name + ".masked", scores, dims);
  }
  const Tensor weights = unary(graph_, "Softmax", name + ".softmax", scores);
  zoo::set(graph_.last(), "axis", std::int64_t{-1});
  const Tensor sums =
      graph_.add("MatMul", name + ".sums", {weights, cache}, {b, s * mine.heads, width});
  const Tensor latent = split(graph_, name + ".sums_split", sums, {mine.rank, mine.rotated})[0];
  const Tensor y = of_heads(name + ".kv_b_proj.values",
                            by_heads(name + ".latent_sums", latent, mine.rank), mine.value_size);
  return reshaped(graph_, name + ".out", transposed(graph_, name + ".by_tokens", y, {1, 0, 2}),
                  {b, s, mine.heads * mine.value_size});
}

}  // namespace benanza::language
