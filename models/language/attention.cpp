
#include "models/language/graph.h"
#include "models/language/layers.h"

namespace benanza::language {

using ::onnx::TensorProto;

Tensor LayerWriter::multiply(const Tensor& x, const std::string& name, std::int64_t columns,
                             bool bias) {
  return language::multiply(graph_, pass_.weights, x,
                            {.name = name, .columns = columns, .bias = bias});
}

Tensor LayerWriter::multiply_and_reduce(const Tensor& x, const std::string& name, bool bias) {
  const Tensor y = all_reduce(graph_, name + ".all_reduce", multiply(x, name, decoder_.hidden),
                              pass_.tensor_parallel);
  if (!bias) return y;
  return elementwise(graph_, "Add", name + ".add_bias", y,
                     graph_.parameter(name + ".bias", {decoder_.hidden}, 0));
}

int LayerWriter::cache_type() const {
  return pass_.cache == CacheType::fp8 ? float8_e4m3fn : TensorProto::FLOAT;
}

void LayerWriter::count_cache(std::int64_t elements, std::int64_t window) {
  const std::int64_t bytes = elements * (pass_.cache == CacheType::fp8 ? 1 : 2);
  if (window > 0) {
    cache_.fixed += bytes * window;
  } else {
    cache_.per_token += bytes;
  }
}

/// Each head of x, of `size` elements, by itself.
Tensor LayerWriter::head_norm(const std::string& name, const Tensor& x, std::int64_t size,
                              bool factors) {
  const Dims heads{x.dims[0], x.dims[1], x.dims[2] / size, size};
  const Tensor y = rms_norm(graph_, name, reshaped(graph_, name + ".heads", x, heads),
                            decoder_.epsilon, factors);
  return reshaped(graph_, name + ".rows", y, x.dims);
}

/// Cosines and sines of all positions.
std::vector<Tensor> LayerWriter::tables(std::int64_t rotated) {
  const Dims dims{pass_.keys(), rotated / 2};
  const std::string end = "." + std::to_string(rotated);
  return {graph_.constant("rotary.cos" + end, TensorProto::FLOAT, dims, 0.8F),
          graph_.constant("rotary.sin" + end, TensorProto::FLOAT, dims, 0.6F)};
}

/// Heads of `size` elements, of which the first `rotated` are.
Tensor LayerWriter::rotate(const std::string& name, const Tensor& x, std::int64_t size,
                           std::int64_t rotated, bool interleaved) {
  if (rotated == 0) return x;
  const auto table = tables(rotated);
  const Tensor positions = graph_.constant(
      "positions", TensorProto::INT64, {pass_.batch, pass_.tokens}, static_cast<float>(pass_.past));
  const Tensor y = graph_.add("RotaryEmbedding", name, {x, table[0], table[1], positions}, x.dims);
  zoo::set(graph_.last(), "num_heads", x.dims.back() / size);
  if (rotated != size) zoo::set(graph_.last(), "rotary_embedding_dim", rotated);
  if (interleaved) zoo::set(graph_.last(), "interleaved", std::int64_t{1});
  return y;
}

/// One tensor with q, k and v side by side, or three.
std::vector<Tensor> LayerWriter::queries_keys_values(const std::string& name, const Tensor& x,
                                                     const Attention& mine) {
  const std::int64_t q_columns = mine.heads * mine.size;
  const std::int64_t kv_columns = mine.kv_heads * mine.size;
  if (!separate_ && !mine.value_norm && !mine.values_are_keys) {
    return {multiply(x, name + ".qkv_proj", q_columns + 2 * kv_columns, mine.qkv_bias)};
  }
  const Tensor q = multiply(x, name + ".q_proj", q_columns, mine.qkv_bias);
  const Tensor k = multiply(x, name + ".k_proj", kv_columns, mine.qkv_bias);
  Tensor v = k;
  if (!mine.values_are_keys) v = multiply(x, name + ".v_proj", kv_columns, mine.qkv_bias);
  if (mine.value_norm) v = head_norm(name + ".v_norm", v, mine.size, false);
  return {q, k, v};
}

/// The norms of heads, the rotation and the cache are the operator's.
Tensor LayerWriter::with_own_keys(const std::string& name, const Tensor& x, const Attention& mine,
                                  std::int64_t layer) {
  auto inputs = queries_keys_values(name, x, mine);
  inputs.resize(3);
  const Dims cache{pass_.batch, mine.kv_heads, pass_.keys(), mine.size};
  const std::string number = std::to_string(layer);
  inputs.push_back(graph_.input("past_key." + number, cache_type(), cache));
  inputs.push_back(graph_.input("past_value." + number, cache_type(), cache));
  inputs.push_back(graph_.constant("last_keys", TensorProto::INT32, {pass_.batch},
                                   static_cast<float>(pass_.keys() - 1)));
  inputs.push_back(graph_.integer("keys", pass_.keys(), TensorProto::INT32));
  if (mine.rotated > 0) {
    for (const Tensor& table : tables(mine.rotated)) inputs.push_back(table);
  }
  inputs.resize(16);
  if (mine.sinks) inputs[11] = graph_.parameter(name + ".sinks", {mine.heads}, 0.5F);
  if (pass_.cache == CacheType::fp8) {
    inputs[12] = graph_.constant("cache.k_scale", TensorProto::FLOAT, {1}, 1);
    inputs[13] = graph_.constant("cache.v_scale", TensorProto::FLOAT, {1}, 1);
  }
  if (mine.head_norms) {
    inputs[14] = graph_.parameter(name + ".q_norm.weight", {mine.size}, 1);
    inputs[15] = graph_.parameter(name + ".k_norm.weight", {mine.size}, 1);
  }
  while (inputs.back().name.empty()) inputs.pop_back();
  const Dims rows{pass_.batch, pass_.tokens, mine.heads * mine.size};
  const auto results =
      graph_.add("GroupQueryAttention", name, inputs, std::vector<Dims>{rows, cache, cache});
  ::onnx::NodeProto& node = graph_.last();
  node.set_domain("com.microsoft");
  zoo::set(node, "num_heads", mine.heads);
  zoo::set(node, "kv_num_heads", mine.kv_heads);
  if (mine.rotated > 0) zoo::set(node, "do_rotary", std::int64_t{1});
  if (mine.interleaved) zoo::set(node, "rotary_interleaved", std::int64_t{1});
  if (mine.scale != 0) zoo::set(node, "scale", mine.scale);
  if (mine.soft_cap != 0) zoo::set(node, "softcap", mine.soft_cap);
  if (mine.window > 0) zoo::set(node, "local_window_size", mine.window);
  if (mine.head_norms) zoo::set(node, "qk_norm_epsilon", decoder_.epsilon);
  if (pass_.cache == CacheType::fp8) {
    for (const char* kind : {"k_quant_type", "v_quant_type"}) {
      auto& attribute = zoo::add_attribute(node, kind);
      attribute.set_type(::onnx::AttributeProto::STRING);
      attribute.set_s("PER_TENSOR");
    }
    zoo::set(node, "kv_cache_bit_width", std::int64_t{8});
  }
  graph_.output(results[1], cache_type());
  graph_.output(results[2], cache_type());
  keys_of_layer_[layer] = {results[1], results[2]};
  count_cache(2 * mine.kv_heads * mine.size, mine.window);
  return results[0];
}

/// Only the queries are this layer's own.
Tensor LayerWriter::with_other_keys(const std::string& name, const Tensor& x,
                                    const Attention& mine) {
  Tensor q = multiply(x, name + ".q_proj", mine.heads * mine.size, mine.qkv_bias);
  if (mine.head_norms) q = head_norm(name + ".q_norm", q, mine.size, true);
  q = rotate(name + ".q_rotary", q, mine.size, mine.rotated, mine.interleaved);
  const Dims rows = q.dims;
  q = reshaped(graph_, name + ".heads", q, {rows[0], rows[1], mine.heads, mine.size});
  q = transposed(graph_, name + ".by_heads", q, {0, 2, 1, 3});
  const Keys& other = keys_of_layer_.at(*mine.keys_of_layer);
  const Tensor lengths = graph_.constant("key_lengths", TensorProto::INT64, {pass_.batch},
                                         static_cast<float>(pass_.keys()));
  Tensor y =
      graph_.add("Attention", name, {q, other.keys, other.values, {}, {}, {}, lengths}, q.dims);
  ::onnx::NodeProto& node = graph_.last();
  if (pass_.tokens > 1) zoo::set(node, "is_causal", std::int64_t{1});
  if (mine.window > 0 && mine.window < pass_.keys()) {
    zoo::set(node, "left_window_size", mine.window - 1);
  }
  if (mine.scale != 0) zoo::set(node, "scale", mine.scale);
  if (mine.soft_cap != 0) zoo::set(node, "softcap", mine.soft_cap);
  y = transposed(graph_, name + ".by_tokens", y, {0, 2, 1, 3});
  return reshaped(graph_, name + ".out", y, rows);
}

Tensor LayerWriter::attention(const std::string& name, const Tensor& x, const Attention& attention,
                              std::int64_t layer) {
  const std::int64_t ranks = pass_.tensor_parallel;
  Attention mine = attention;
  mine.heads = share(attention.heads, ranks, "heads of queries");
  // GPUs beyond the heads of keys hold copies.
  mine.kv_heads =
      attention.kv_heads < ranks ? 1 : share(attention.kv_heads, ranks, "heads of keys and values");
  const Tensor y =
      mine.keys_of_layer ? with_other_keys(name, x, mine) : with_own_keys(name, x, mine, layer);
  return multiply_and_reduce(y, name + ".o_proj", mine.output_bias);
}

}  // namespace benanza::language
