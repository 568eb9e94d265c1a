// Mistral: A. Jiang et al., "Mistral 7B", 2023; and Mixtral: "Mixtral of Experts", 2024.

#include "models/language/family.h"

namespace benanza::language {
namespace {

Decoder read_mistral(const Config& config) {
  Decoder decoder = plain_decoder(config, false);
  Attention attention = plain_attention(config);
  attention.window = config.count("sliding_window", 0);
  Layer layer{attention, {}};
  const FeedForward dense = plain_feed_forward(config);
  if (config.text("model_type") == "mixtral") {
    layer.feed_forward = Experts{.count = config.size("num_local_experts"),
                                 .chosen = config.size("num_experts_per_tok"),
                                 .inner = dense.inner,
                                 .gate = dense.gate,
                                 .normalized = true};
  } else {
    layer.feed_forward = dense;
  }
  decoder.layers.assign(static_cast<std::size_t>(layer_count(config)), layer);
  return decoder;
}

}  // namespace

Family mistral() { return {{"mistral", "mixtral"}, read_mistral}; }

}  // namespace benanza::language
