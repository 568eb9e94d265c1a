#pragma once

#include <utility>

#include "core/problem/operand.h"

namespace benanza {

/// softmax(scale Q K^T + mask) V for every head. Q is batch, heads, queries, size; K is batch,
/// kv_heads, keys, size; V is batch, kv_heads, keys, value_size. Each head of K and V serves
/// heads / kv_heads consecutive heads of Q. `causal`: query i sees the keys up to
/// i + keys - queries, and with a `window` only the last so many of these. With a `soft_cap` c,
/// c tanh(score / c) takes the place of a score before masks are added. With a `sink`, the softmax
/// has one more term for each head, which is multiplied by no value. `new_keys`: the same run makes
/// the keys and values, though they are more than the queries (of an encoder's rows, say).
/// Keys: attention/1x12x128x64_k12x128x64_s0.125; with _m1x1x128x128 if a mask is added, _causal,
/// _causal_w1024, _cap50, _sink and _new
struct Attention {
  std::int64_t batch = 1;
  std::int64_t heads = 1;
  std::int64_t queries = 0;
  std::int64_t size = 0;
  std::int64_t kv_heads = 1;
  std::int64_t keys = 0;
  std::int64_t value_size = 0;
  float scale = 1;
  /// Four axes that broadcast to batch, heads, queries, keys; empty if no mask is added.
  Dims mask;
  bool causal = false;
  /// 0: no limit.
  std::int64_t window = 0;
  /// 0: none.
  float soft_cap = 0;
  bool sink = false;
  bool new_keys = false;

  bool operator==(const Attention&) const = default;

  static bool owns(std::string_view op) { return op == "attention"; }
  std::string_view op() const { return "attention"; }
  void map(KeyFields& fields);

  /// Q, K, V, and the mask and the sinks, one for each head, if there are any. K and V are caches
  /// if there are more keys than queries, unless they are new.
  std::vector<Operand> inputs() const;
  Dims output() const { return {batch, heads, queries, value_size}; }
  /// Flops of the unfused parts: two products, five per score for the softmax, one for the mask,
  /// two for the cap. As in the parts, scores that a causal mask hides are counted.
  double flops() const;
  /// The keys that a query sees, as [first, second).
  std::pair<std::int64_t, std::int64_t> visible_keys(std::int64_t query) const;
  /// Pairs of a query and a key that it sees, of one head.
  double visible_scores() const;
  /// The part of flops() spent in the two products.
  double product_flops() const;
  /// Flops of only the two products, without the scores that a causal mask and its window hide: a
  /// lower bound for any call.
  double least_flops() const;
  std::int64_t reduction_length() const { return keys; }
};

/// Whether a call may take each query as a head of its own: several queries that are few beside the
/// keys, as when a draft of some tokens is checked, and nothing else that differs from head to
/// head. Such a call needs queries and result dense, in the order of the problem, and for a causal
/// mask a number for every score.
inline bool queries_can_be_heads(const Attention& shape) {
  constexpr std::int64_t most_queries = 32;
  constexpr std::int64_t most_scores = std::int64_t{1} << 26;
  const bool are_few =
      shape.queries > 1 && shape.queries <= most_queries && shape.queries < shape.keys;
  return are_few && shape.mask.empty() && !shape.sink &&
         shape.keys <= most_scores / (shape.heads * shape.queries);
}

}  // namespace benanza
