// Gemma 2 and 3: Gemma Team, "Gemma 2", 2024; "Gemma 3 Technical Report", 2025.

#include <cmath>

#include "models/language/family.h"

namespace benanza::language {
namespace {

Decoder read_gemma(const Config& config) {
  const bool third = config.text("model_type").starts_with("gemma3");
  Decoder decoder = plain_decoder(config, true);
  decoder.scaled_embedding = true;
  decoder.norms_behind = true;
  decoder.logit_cap = static_cast<float>(config.real("final_logit_softcapping", third ? 0 : 30));
  Attention attention = plain_attention(config);
  attention.size = config.size("head_dim", 256);
  attention.rotated = attention.size;
  attention.head_norms = third;
  attention.qkv_bias = attention.output_bias = config.flag("attention_bias", false);
  attention.scale = static_cast<float>(1 / std::sqrt(config.real("query_pre_attn_scalar", 256)));
  attention.soft_cap = static_cast<float>(config.real("attn_logit_softcapping", third ? 0 : 50));
  const std::int64_t window = config.size("sliding_window", 4096);
  for (const bool windowed :
       windowed_layers(config, third ? config.count("sliding_window_pattern", 6) : 2)) {
    attention.window = windowed ? window : 0;
    decoder.layers.push_back({attention, plain_feed_forward(config, Gate::gelu_tanh)});
  }
  return decoder;
}

}  // namespace

Family gemma() { return {{"gemma2", "gemma3_text"}, read_gemma}; }

}  // namespace benanza::language
