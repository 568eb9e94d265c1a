// Llama 2 and 3: H. Touvron et al., "Llama 2", 2023; Meta AI, "The Llama 3 Herd of Models", 2024.

#include "models/language/family.h"

namespace benanza::language {
namespace {

Decoder read_llama(const Config& config) {
  Decoder decoder = plain_decoder(config, false);
  Attention attention = plain_attention(config);
  attention.qkv_bias = attention.output_bias = config.flag("attention_bias", false);
  FeedForward feed_forward = plain_feed_forward(config);
  feed_forward.bias = config.flag("mlp_bias", false);
  decoder.layers.assign(static_cast<std::size_t>(layer_count(config)), {attention, feed_forward});
  return decoder;
}

}  // namespace

Family llama() { return {{"llama"}, read_llama}; }

}  // namespace benanza::language
