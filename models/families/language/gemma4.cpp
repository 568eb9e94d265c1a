// Gemma 4, as transformers reads its configurations (models/gemma4).

#include <string>

#include "models/language/family.h"

namespace benanza::language {
namespace {

/// What newer configurations say of this layer alone.
Config own_config(const Config& config, std::int64_t layer, std::int64_t layers) {
  const Config all = config.inside("per_layer_config");
  std::string number = std::to_string(layer);
  if (all.has(number)) return all.inside(number);
  number.insert(0, std::to_string(layers - 1).size() - number.size(), '0');
  return all.inside(number);
}

/// Heads of the layers that see all keys are wider, and may have other keys.
Attention full_attention(const Config& config, Attention attention, const Config& own) {
  attention.size = own.size("head_dim", config.size("global_head_dim", 512));
  attention.values_are_keys = config.flag("attention_k_eq_v", false);
  if (attention.values_are_keys) {
    attention.kv_heads = config.size("num_global_key_value_heads", attention.kv_heads);
  }
  attention.kv_heads = own.size("num_key_value_heads", attention.kv_heads);
  const double part =
      config.inside("rope_parameters").inside("full_attention").real("partial_rotary_factor", 0.25);
  attention.rotated = static_cast<std::int64_t>(part * static_cast<double>(attention.size)) / 2 * 2;
  attention.window = 0;
  return attention;
}

Experts gemma4_experts(const Config& config, const FeedForward& dense) {
  return {.count = config.size("num_experts"),
          .chosen = config.size("top_k_experts"),
          .inner = config.size("moe_intermediate_size"),
          .gate = dense.gate,
          .normalized = true,
          .scaled_router = true,
          .beside = dense};
}

Decoder read_gemma4(const Config& config) {
  Decoder decoder = plain_decoder(config, true);
  decoder.scaled_embedding = true;
  decoder.norms_behind = true;
  decoder.layer_factors = true;
  decoder.logit_cap = static_cast<float>(config.real("final_logit_softcapping", 0));
  decoder.layer_embedding = config.count("hidden_size_per_layer_input", 256);
  decoder.layer_vocabulary = config.size("vocab_size_per_layer_input", 262144);
  Attention sliding = plain_attention(config);
  sliding.size = config.size("head_dim", 256);
  sliding.rotated = sliding.size;
  sliding.head_norms = sliding.value_norm = true;
  sliding.scale = 1;
  sliding.qkv_bias = sliding.output_bias = config.flag("attention_bias", false);
  sliding.window = config.size("sliding_window", 512);
  auto windowed = windowed_layers(config, 6);
  windowed.back() = false;
  const auto layers = static_cast<std::int64_t>(windowed.size());
  const std::int64_t own = layers - config.count("num_kv_shared_layers", 0);
  std::int64_t last_of_kind[2] = {-1, -1};
  for (std::int64_t i = 0; i < layers; ++i) {
    const bool slides = windowed[static_cast<std::size_t>(i)];
    Attention attention =
        slides ? sliding : full_attention(config, sliding, own_config(config, i, layers));
    FeedForward dense = plain_feed_forward(config, Gate::gelu_tanh);
    if (i < own) {
      last_of_kind[slides ? 1 : 0] = i;
    } else {
      if (last_of_kind[slides ? 1 : 0] < 0) {
        config.refuse("num_kv_shared_layers", "leaves no layer whose keys the others share");
      }
      attention.keys_of_layer = last_of_kind[slides ? 1 : 0];
      if (config.flag("use_double_wide_mlp", false)) dense.inner *= 2;
    }
    Layer layer{attention, dense};
    if (config.flag("enable_moe_block", false)) layer.feed_forward = gemma4_experts(config, dense);
    decoder.layers.push_back(layer);
  }
  return decoder;
}

}  // namespace

Family gemma4() { return {{"gemma4_text"}, read_gemma4}; }

}  // namespace benanza::language
