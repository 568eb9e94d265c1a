#pragma once

#include "core/problem/ops/attention.h"

namespace benanza {

/// The gradients of an Attention's Q, K and V, from the gradient dO of its result O and the
/// logarithm L of each query's sum of e^score. With S = scale Q K^T + mask and P = e^(S - L):
///   dV = P^T dO,  dS = P (dO V^T - sum of dO O along a row),  dQ = scale dS K,  dK = scale dS^T Q
/// (T. Dao et al., FlashAttention, 2022, section B.2). Heads that share keys and values add up.
/// Keys: attention_bwd/8x12x128x64_k12x128x64_s0.125,
/// attention_bwd/1x8x128x128_k8x128x128_s0.088388346; with _m1x1x128x128 and _causal as forward
struct AttentionGradient {
  Attention forward;

  bool operator==(const AttentionGradient&) const = default;

  static constexpr bool takes_steps = false;
  static bool owns(std::string_view op) { return op == "attention_bwd"; }
  std::string_view op() const { return "attention_bwd"; }
  void map(KeyFields& fields) {
    if (KeyReader* reader = fields.reader()) reader->drop_from_op("_bwd");
    forward.map(fields);
    fields.require(forward.soft_cap <= 0 && !forward.sink, "no cap and no sinks");
  }

  /// The places of the operands in inputs().
  enum Place : std::size_t { output_gradient, q, k, v, result, logarithms, mask };
  /// dO, Q, K, V, O, L (a value per query), and the mask if there is one.
  std::vector<Operand> inputs() const;
  /// All results one after the other.
  Dims output() const;
  /// The gradients of Q, K and V.
  std::vector<Dims> results() const;
  /// Flops of the unfused parts: four products, and four per score for the gradient of the softmax.
  double flops() const;
  /// The part of flops() spent in the four products.
  double product_flops() const { return 2 * forward.product_flops(); }
  /// Flops of only the four products, without the scores that a causal mask hides.
  double least_flops() const { return 2 * forward.least_flops(); }
  /// The longest sum: over the keys, or over the queries of all heads that share a key.
  std::int64_t reduction_length() const;
};

}  // namespace benanza
