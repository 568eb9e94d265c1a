#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "analysis/model/layer_time.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

struct Tally {
  std::size_t layers = 0;
  /// Empty if one of the layers does not know its FLOPs.
  std::optional<double> flops = 0;
};

/// How many layers, and how many of the model's FLOPs, stand where. Every layer is in one class.
struct Coverage {
  std::array<Tally, std::size(standings)> tallies;
  /// Measured layers whose time is that of the fallback precision.
  std::size_t at_fallback = 0;

  const Tally& of(Standing standing) const { return tallies[static_cast<std::size_t>(standing)]; }
};

/// What a bound owes to layers whose shapes may rest on an assumption of the generator.
struct Assumed {
  std::size_t layers = 0;
  double seconds = 0;
  /// Layer::assumed of the first.
  std::string first;
};
/// `counted`: the seconds that each layer has in the bound.
Assumed assumed(const Graph& graph, const std::vector<double>& counted);

Coverage coverage(const Graph& graph, const std::vector<LayerTime>& times, Precision precision);

}  // namespace benanza::analysis
