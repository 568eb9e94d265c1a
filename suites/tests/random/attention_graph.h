#pragma once

#include <optional>
#include <string>
#include <vector>

#include "suites/tests/random/graph.h"

namespace benanza::definitions {

/// One thing done to the scores: what it adds to them, batch x heads x queries x keys.
struct AppliedMask {
  std::vector<double> added;
  /// Hides later keys and nothing else.
  bool causal = false;
  bool constant = false;
};

/// A model that contains attention once, written in one of many ways.
struct AttentionGraph {
  RandomGraph graph;
  std::int64_t batch = 1;
  std::int64_t heads = 1;
  std::int64_t kv_heads = 1;
  std::int64_t queries = 1;
  std::int64_t keys = 1;
  std::int64_t size = 1;
  std::int64_t value_size = 1;
  /// Row-major, in the order of the problem's operands.
  std::vector<float> q;
  std::vector<float> k;
  std::vector<float> v;
  double scale = 1;
  std::vector<AppliedMask> masks;
  /// The tensor that holds batch x heads x queries x value_size.
  std::string result;
};

/// What keeps a model from being attention.
enum class Flaw {
  none,
  other_axis,
  mask_behind_softmax,
  scale_from_data,
  scale_behind_data_mask,
  logarithm,
  scores_read_elsewhere,
  small_replacement,
  cleared_but_not_hidden,
  two_data_masks
};

AttentionGraph attention_graph(std::uint64_t seed, Flaw flaw = Flaw::none);

}  // namespace benanza::definitions
