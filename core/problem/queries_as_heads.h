#pragma once

#include "core/problem/ops/attention.h"

namespace benanza {

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
