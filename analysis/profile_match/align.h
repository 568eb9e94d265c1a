#pragma once

#include <vector>

#include "analysis/profile_match/mapping.h"

namespace benanza::analysis {

/// A pair, and how well it fits.
struct Match {
  Pair pair;
  MatchKind found = MatchKind::no;
};

/// Pairs the parts of `nodes`, in the order they ran, with those `layers` that have work to do, in
/// an order that respects the data flow, so that the pairs fit best in all (a longest common
/// subsequence with weights: equal problems weigh most, products more than the rest, operators of
/// one kind with unequal shapes least). Then pairs what is left where problems are equal, out of
/// order. Nodes with an origin are left out. Layers and parts are in at most one pair.
/// O(parts x layers) time, and as many bytes.
std::vector<Match> align(const std::vector<Layer>& layers, const std::vector<ProfiledNode>& nodes);

}  // namespace benanza::analysis
