#pragma once

#include <set>
#include <vector>

#include "core/problem/ops/attention.h"
#include "generator/lowered/lowered.h"

namespace benanza::fusion {

/// Where attention is in a layer that also does other work.
struct AttentionPlace {
  /// The product with the values, in the layer.
  const Call* values = nullptr;
  /// The calls that attention replaces, in the layer.
  std::set<const Call*> inside = {};
  /// What it reads, by the layer's calls.
  std::vector<Source> operands = {};
};

/// All that the layer does, with one call for `shape`. It reads and writes heads where they are, so
/// that copies which only move them are left out. None if `place` has no operands.
std::vector<Call> attention_calls(const LoweredLayer& layer, const AttentionPlace& place,
                                  const Attention& shape);

}  // namespace benanza::fusion
