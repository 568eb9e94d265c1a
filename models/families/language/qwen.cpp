// Qwen 2 and 3, with and without experts: Qwen Team, "Qwen2 Technical Report", 2024; "Qwen3
// Technical Report", 2025.

#include <algorithm>

#include "models/language/family.h"

namespace benanza::language {
namespace {

Experts qwen_experts(const Config& config, Gate gate, bool shared) {
  Experts experts{
      .count = config.size(config.has("num_local_experts") ? "num_local_experts" : "num_experts"),
      .chosen = config.size("num_experts_per_tok"),
      .inner = config.size("moe_intermediate_size"),
      .gate = gate,
      .normalized = config.flag("norm_topk_prob", false)};
  if (shared) {
    experts.shared =
        FeedForward{.inner = config.size("shared_expert_intermediate_size"), .gate = gate};
    experts.shared_gate = true;
  }
  return experts;
}

Decoder read_qwen(const Config& config) {
  const std::string type = config.text("model_type");
  const bool third = type.starts_with("qwen3");
  Decoder decoder = plain_decoder(config, false);
  Attention attention = plain_attention(config);
  if (third) {
    attention.size = config.size("head_dim", 128);
    attention.rotated = attention.size;
    attention.qkv_bias = attention.output_bias = config.flag("attention_bias", false);
  } else {
    attention.qkv_bias = config.flag("qkv_bias", true);
  }
  attention.head_norms = third;
  const FeedForward dense = plain_feed_forward(config);
  const bool windows = config.flag("use_sliding_window", false);
  const std::int64_t first_window = config.count("max_window_layers", 28);
  const std::int64_t step = config.size("decoder_sparse_step", 1);
  const auto dense_layers = config.integers("mlp_only_layers");
  for (std::int64_t i = 0; i < layer_count(config); ++i) {
    Layer layer{attention, dense};
    if (windows && i >= first_window) {
      std::get<Attention>(layer.attention).window = config.count("sliding_window", 4096);
    }
    if (type.ends_with("_moe") && std::ranges::find(dense_layers, i) == dense_layers.end() &&
        (i + 1) % step == 0) {
      layer.feed_forward = qwen_experts(config, dense.gate, !third);
    }
    decoder.layers.push_back(layer);
  }
  return decoder;
}

}  // namespace

Family qwen() { return {{"qwen2", "qwen2_moe", "qwen3", "qwen3_moe"}, read_qwen}; }

}  // namespace benanza::language
