#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/model/bounds.h"
#include "analysis/model/floor.h"
#include "analysis/model/layer_time.h"
#include "analysis/profile_match/comparison.h"

namespace benanza::analysis {

/// A framework's latency beside the ladder.
struct Rung {
  /// "pytorch", "pytorch, CUDA graph".
  std::string name{};
  double seconds = 0;
  /// Its operators that take less than the bound of their layers, the largest difference first.
  std::vector<std::string> faster{};
};

/// floor <= bound with fusion <= bound <= framework.
struct Ladder {
  ModelFloor floor{};
  /// Per layer: seconds of its calls in the bound; empty where it has none of its own there.
  std::vector<std::optional<double>> seconds{};
  /// The sequential bound with the cheapest set of fusions, and without.
  double fused_seconds = 0;
  double sequential_seconds = 0;
  /// Fusions that were not measured: the bound with fusion may be lower.
  std::size_t missing_fusions = 0;
  /// Layers that a fusion does and that have no time without.
  std::vector<std::size_t> only_fused{};
  /// Layers without a time in both.
  std::size_t in_neither = 0;
  /// With a framework's kernels (--seen).
  std::optional<double> seen_seconds{};
  /// The fastest run of every profile.
  std::vector<Rung> frameworks{};

  /// Least seconds of the layer by itself; empty where it is unknown or the layer has no call.
  std::optional<double> layer_floor(std::size_t layer) const;
  /// Floor over the time of its call: the share of the device's peak that it reaches. Its
  /// reciprocal is the head-room. Empty, too, where the floor is 0.
  std::optional<double> reaches(std::size_t layer) const;
  /// Layers whose call takes less than their floor: the peaks, a time or the floor is wrong.
  std::vector<std::size_t> undercut() const;
  /// Why the ladder does not hold, one sentence each; empty where it does. Layers by the names in
  /// `graph`.
  std::vector<std::string> breaks(const Graph& graph) const;
};

/// Without frameworks. `times`: operator_times().
Ladder make_ladder(const Graph& graph, const MeasurementSet& measurements,
                   const MeasurementFilter& filter, Movement movement,
                   const std::vector<LayerTime>& times, const DeviceRates& rates);

void add_frameworks(Ladder& ladder, const Graph& graph, const std::vector<Comparison>& comparisons);

}  // namespace benanza::analysis
