// GPT-OSS: OpenAI, "gpt-oss-120b & gpt-oss-20b Model Card", 2025.

#include "models/language/family.h"

namespace benanza::language {
namespace {

Decoder read_gpt_oss(const Config& config) {
  Decoder decoder = plain_decoder(config, false);
  decoder.epsilon = static_cast<float>(config.real("rms_norm_eps", 1e-5));
  Attention attention = plain_attention(config);
  attention.size = config.size("head_dim", 64);
  attention.rotated = attention.size;
  attention.qkv_bias = attention.output_bias = config.flag("attention_bias", true);
  attention.sinks = true;
  const Experts experts{.count = config.size("num_local_experts"),
                        .chosen = config.size("num_experts_per_tok", 4),
                        .inner = config.size("intermediate_size"),
                        .bias = true,
                        .router_bias = true,
                        .normalized = true,
                        .limit = static_cast<float>(config.real("swiglu_limit", 7))};
  const std::int64_t window = config.size("sliding_window", 128);
  for (const bool windowed : windowed_layers(config, 2)) {
    attention.window = windowed ? window : 0;
    decoder.layers.push_back({attention, experts});
  }
  return decoder;
}

}  // namespace

Family gpt_oss() { return {{"gpt_oss"}, read_gpt_oss}; }

}  // namespace benanza::language
