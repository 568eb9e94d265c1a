#include "models/language/family.h"

#include "core/base/error.h"

namespace benanza::language {
namespace {

/// A window that no sequence of the model outgrows hides nothing, and its cache grows.
void drop_windows_without_effect(Decoder& decoder, std::int64_t longest_sequence) {
  if (longest_sequence == 0) return;
  for (Layer& layer : decoder.layers) {
    auto* const attention = std::get_if<Attention>(&layer.attention);
    if (attention != nullptr && attention->window >= longest_sequence) attention->window = 0;
  }
}

}  // namespace

Decoder read_decoder(const Config& config) {
  const std::string type = config.text("model_type");
  std::string known;
  for (const Family& family : families()) {
    for (const std::string& name : family.model_types) {
      if (name == type) {
        Decoder decoder = family.read(config);
        drop_windows_without_effect(decoder, config.count("max_position_embeddings", 0));
        return decoder;
      }
      known += (known.empty() ? "" : ", ") + name;
    }
  }
  config.refuse("model_type", '"' + type + "\" is not known; known are " + known);
}

Decoder plain_decoder(const Config& config, bool tied) {
  return {.family = config.text("model_type"),
          .vocabulary = config.size("vocab_size"),
          .hidden = config.size("hidden_size"),
          .epsilon = static_cast<float>(config.real("rms_norm_eps", 1e-6)),
          .tied = config.flag("tie_word_embeddings", tied)};
}

Attention plain_attention(const Config& config) {
  Attention attention;
  attention.heads = config.size("num_attention_heads");
  attention.kv_heads = config.size("num_key_value_heads", attention.heads);
  if (attention.heads % attention.kv_heads != 0) {
    config.refuse("num_key_value_heads", "does not divide num_attention_heads");
  }
  attention.size = config.size("head_dim", config.size("hidden_size") / attention.heads);
  const double part = config.real(
      "partial_rotary_factor", config.inside("rope_parameters").real("partial_rotary_factor", 1));
  if (part < 0 || part > 1) config.refuse("partial_rotary_factor", "give a number from 0 to 1");
  attention.rotated = static_cast<std::int64_t>(part * static_cast<double>(attention.size)) / 2 * 2;
  return attention;
}

FeedForward plain_feed_forward(const Config& config, Gate otherwise) {
  const char* key = config.has("hidden_activation") ? "hidden_activation" : "hidden_act";
  const std::string gate = config.text(key, otherwise == Gate::silu ? "silu" : "gelu_pytorch_tanh");
  FeedForward layer{.inner = config.size("intermediate_size"), .gate = otherwise};
  if (gate == "silu" || gate == "swish") {
    layer.gate = Gate::silu;
  } else if (gate == "gelu_pytorch_tanh" || gate == "gelu_new") {
    layer.gate = Gate::gelu_tanh;
  } else {
    config.refuse(key, '"' + gate + "\" is not known; known are silu and gelu_pytorch_tanh");
  }
  return layer;
}

std::int64_t layer_count(const Config& config) {
  constexpr std::int64_t most = 4096;
  const std::int64_t layers = config.size("num_hidden_layers");
  if (layers > most) config.refuse("num_hidden_layers", "more than " + std::to_string(most));
  return layers;
}

std::vector<bool> windowed_layers(const Config& config, std::int64_t period) {
  const auto layers = static_cast<std::size_t>(layer_count(config));
  std::vector<bool> windowed(layers);
  const auto types = config.texts("layer_types");
  if (!types.empty() && types.size() != layers) {
    config.refuse("layer_types", std::to_string(types.size()) + " types for " +
                                     std::to_string(layers) + " layers");
  }
  for (std::size_t i = 0; i < layers; ++i) {
    if (types.empty()) {
      windowed[i] = period > 0 && static_cast<std::int64_t>(i + 1) % period != 0;
    } else if (types[i] == "sliding_attention") {
      windowed[i] = true;
    } else if (types[i] != "full_attention") {
      config.refuse("layer_types", '"' + types[i] + "\" is not supported");
    }
  }
  return windowed;
}

}  // namespace benanza::language
