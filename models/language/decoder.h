#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace benanza::language {

/// What a feed-forward layer applies to its gate.
enum class Gate { silu, gelu_tanh };

/// Attention with heads of their own for keys and values.
struct Attention {
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  /// Elements of a head.
  std::int64_t size = 0;
  /// The first so many elements of a head are rotated; 0: none.
  std::int64_t rotated = 0;
  bool interleaved = false;
  bool qkv_bias = false;
  bool output_bias = false;
  /// RMSNorm of each head of queries and keys.
  bool head_norms = false;
  /// RMSNorm, without factors, of each head of values.
  bool value_norm = false;
  /// Values are the keys' projection, before its norm and rotation.
  bool values_are_keys = false;
  /// A query sees so many keys, itself included; 0: all earlier ones.
  std::int64_t window = 0;
  /// One more term in each head's softmax.
  bool sinks = false;
  /// Scores s become cap * tanh(s / cap); 0: no cap.
  float soft_cap = 0;
  /// Factor of the scores; 0: 1 / sqrt(size).
  float scale = 0;
  /// Keys and values are those of this earlier layer.
  std::optional<std::int64_t> keys_of_layer{};
};

/// Attention whose keys and values are expanded from one latent row a token: DeepSeek-AI,
/// "DeepSeek-V2", 2024, section 2.1.
struct LatentAttention {
  std::int64_t heads = 0;
  /// Rank of the queries' two products; 0: one product.
  std::int64_t query_rank = 0;
  std::int64_t rank = 0;
  /// Elements of a head of queries and keys: those that are not rotated, and those that are.
  std::int64_t plain_size = 0;
  std::int64_t rotated = 0;
  std::int64_t value_size = 0;
  bool bias = false;
  float scale = 0;
};

/// down(gate(x W_gate) * x W_up).
struct FeedForward {
  std::int64_t inner = 0;
  Gate gate = Gate::silu;
  bool bias = false;
};

/// A layer of experts.
struct Experts {
  std::int64_t count = 0;
  /// Experts of a token.
  std::int64_t chosen = 0;
  std::int64_t inner = 0;
  Gate gate = Gate::silu;
  bool bias = false;
  bool router_bias = false;
  bool normalized = false;
  /// g sigmoid(1.702 g) (up + 1), both clamped to this: GPT-OSS; 0: no limit.
  float limit = 0;
  /// Factors of the router's input (one for each of its elements), and of each expert.
  bool scaled_router = false;
  /// Experts that every token passes, as one feed-forward layer.
  std::optional<FeedForward> shared{};
  /// The shared experts' result is multiplied with the sigmoid of one product.
  bool shared_gate = false;
  /// A feed-forward layer and the experts, each between norms of its own: Gemma 4.
  std::optional<FeedForward> beside{};
};

struct Layer {
  std::variant<Attention, LatentAttention> attention;
  std::variant<FeedForward, Experts> feed_forward;
};

/// A decoder of language, as its family's file reads it from a configuration.
struct Decoder {
  std::string family;
  std::int64_t vocabulary = 0;
  std::int64_t hidden = 0;
  float epsilon = 1e-6F;
  /// The head's product is with the embedding's table.
  bool tied = false;
  /// Embeddings are multiplied with sqrt(hidden).
  bool scaled_embedding = false;
  /// Results of attention and of the feed-forward layer pass a norm, too, before they are added.
  bool norms_behind = false;
  /// Logits l become cap * tanh(l / cap); 0: no cap.
  float logit_cap = 0;
  /// Embeddings of each layer, of so many elements, added behind the feed-forward layer; 0: none.
  std::int64_t layer_embedding = 0;
  std::int64_t layer_vocabulary = 0;
  /// Each layer's result is multiplied with one stored number.
  bool layer_factors = false;
  std::vector<Layer> layers{};
};

}  // namespace benanza::language
