#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/language/decoder.h"
#include "models/language/graph.h"
#include "models/language/pass.h"

namespace benanza::language {

/// What one sequence keeps in the caches of keys and values, on one GPU.
struct CacheBytes {
  /// For every token.
  std::int64_t per_token = 0;
  /// Of windows, at most.
  std::int64_t fixed = 0;
};

/// A decoder's layers, one after another, as one of `pass.tensor_parallel` GPUs runs them. x is
/// (batch, tokens, hidden); results are whole on every GPU.
class LayerWriter {
 public:
  /// `separate`: q, k and v, gate and up are products of their own, as transformers has them;
  /// otherwise one product each, as servers do.
  LayerWriter(Graph& graph, const Decoder& decoder, const Pass& pass, bool separate)
      : graph_(graph), decoder_(decoder), pass_(pass), separate_(separate) {}

  /// `layer`: its number, for the layers that share its keys.
  Tensor attention(const std::string& name, const Tensor& x, const Attention& attention,
                   std::int64_t layer);
  Tensor attention(const std::string& name, const Tensor& x, const LatentAttention& attention);
  Tensor feed_forward(const std::string& name, const Tensor& x, const FeedForward& layer);
  /// `router_input`: x, or what the router takes instead.
  Tensor experts(const std::string& name, const Tensor& x, const Experts& experts,
                 const Tensor& router_input);

  const CacheBytes& cache() const { return cache_; }

 private:
  struct Keys {
    Tensor keys;
    Tensor values;
  };
  Tensor multiply(const Tensor& x, const std::string& name, std::int64_t columns,
                  bool bias = false);
  /// The sum over all GPUs of each one's product, and then the bias.
  Tensor multiply_and_reduce(const Tensor& x, const std::string& name, bool bias);
  Tensor gated(const std::string& name, const Tensor& x, Gate gate);
  Tensor head_norm(const std::string& name, const Tensor& x, std::int64_t size, bool factors);
  Tensor rotate(const std::string& name, const Tensor& x, std::int64_t size, std::int64_t rotated,
                bool interleaved);
  std::vector<Tensor> tables(std::int64_t rotated);

  std::vector<Tensor> queries_keys_values(const std::string& name, const Tensor& x,
                                          const Attention& mine);
  Tensor with_own_keys(const std::string& name, const Tensor& x, const Attention& mine,
                       std::int64_t layer);
  Tensor with_other_keys(const std::string& name, const Tensor& x, const Attention& mine);

  /// Attention with the keys and values that the latent rows stand for, or within the latent rows.
  Tensor expanded(const std::string& name, const Tensor& plain, const Tensor& rotated,
                  const Tensor& latent, const Tensor& rotated_key, const LatentAttention& mine);
  Tensor absorbed(const std::string& name, const Tensor& plain, const Tensor& rotated,
                  const Tensor& cache, const LatentAttention& mine);

  Tensor inner_feed_forward(const std::string& name, const Tensor& x, const FeedForward& layer);
  std::vector<Tensor> expert_weights(const std::string& name, std::int64_t experts,
                                     std::int64_t columns, std::int64_t length);
  void add_fp8_scales(const std::string& name, std::int64_t experts, std::vector<Tensor>& inputs);
  void describe_experts(const Experts& experts);

  int cache_type() const;
  void count_cache(std::int64_t elements, std::int64_t window);

  Graph& graph_;
  const Decoder& decoder_;
  const Pass& pass_;
  bool separate_;
  CacheBytes cache_{};
  /// Caches with all keys, by layer: for the layers that share them.
  std::map<std::int64_t, Keys> keys_of_layer_;
};

}  // namespace benanza::language
