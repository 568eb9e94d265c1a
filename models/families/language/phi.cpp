// Phi 3 and 4: Microsoft, "Phi-3 Technical Report", 2024; "Phi-4 Technical Report", 2024.

#include "models/language/family.h"

namespace benanza::language {
namespace {

Decoder read_phi(const Config& config) {
  Decoder decoder = plain_decoder(config, false);
  Attention attention = plain_attention(config);
  attention.window = config.count("sliding_window", 0);
  decoder.layers.assign(static_cast<std::size_t>(layer_count(config)),
                        {attention, plain_feed_forward(config)});
  return decoder;
}

}  // namespace

Family phi() { return {{"phi3"}, read_phi}; }

}  // namespace benanza::language
