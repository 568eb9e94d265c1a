// DeepSeek V2 and V3: DeepSeek-AI, "DeepSeek-V2", 2024; "DeepSeek-V3 Technical Report", 2024.

#include "models/language/family.h"

namespace benanza::language {
namespace {

Decoder read_deepseek(const Config& config) {
  const bool third = config.text("model_type") == "deepseek_v3";
  Decoder decoder = plain_decoder(config, false);
  const LatentAttention attention{.heads = config.size("num_attention_heads"),
                                  .query_rank = config.count("q_lora_rank", 0),
                                  .rank = config.size("kv_lora_rank", 512),
                                  .plain_size = config.size("qk_nope_head_dim", 128),
                                  .rotated = config.size("qk_rope_head_dim", 64),
                                  .value_size = config.size("v_head_dim", 128),
                                  .bias = config.flag("attention_bias", false)};
  const FeedForward dense = plain_feed_forward(config);
  Experts experts{.count = config.size("n_routed_experts"),
                  .chosen = config.size("num_experts_per_tok"),
                  .inner = config.size("moe_intermediate_size"),
                  .gate = dense.gate,
                  .normalized = config.flag("norm_topk_prob", third)};
  if (const std::int64_t shared = config.count("n_shared_experts", third ? 1 : 2); shared > 0) {
    experts.shared = FeedForward{.inner = shared * experts.inner, .gate = dense.gate};
  }
  const std::int64_t dense_layers = config.count("first_k_dense_replace", third ? 3 : 0);
  for (std::int64_t i = 0; i < layer_count(config); ++i) {
    Layer layer{attention, dense};
    if (i >= dense_layers) layer.feed_forward = experts;
    decoder.layers.push_back(layer);
  }
  return decoder;
}

}  // namespace

Family deepseek() { return {{"deepseek_v2", "deepseek_v3"}, read_deepseek}; }

}  // namespace benanza::language
