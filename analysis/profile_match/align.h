#pragma once

#include <vector>

#include "analysis/profile_match/mapping.h"

namespace benanza::analysis {

/// A pair, and how it was found.
struct Match {
  Pair pair;
  MatchKind found = MatchKind::no;
};

/// Pairs the parts of `nodes`, in the order they ran, with the `layers` that have work to do, in a
/// topological order, so that the total weight is largest (a weighted longest common subsequence:
/// equal problems weigh most, products more than others, operators of one kind with different
/// shapes least). Then pairs the remaining equal problems out of order, before those of one kind
/// only. Skips nodes with an origin.
/// Each layer and part is in at most one pair. O(parts x layers) time, and as many bytes.
std::vector<Match> align(const std::vector<Layer>& layers, const std::vector<ProfiledNode>& nodes);

}  // namespace benanza::analysis
