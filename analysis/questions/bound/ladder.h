#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/model/bounds.h"
#include "analysis/model/floor.h"
#include "analysis/model/layer_time.h"
#include "analysis/profile_match/comparison.h"

namespace benanza::analysis {

/// A framework's latency, compared with the ladder.
struct Rung {
  /// "pytorch", "pytorch, CUDA graph".
  std::string name{};
  double seconds = 0;
  /// Operators that take less time than the bound of their layers, largest difference first.
  std::vector<std::string> faster{};
};

/// floor <= bound with fusion <= bound <= framework.
struct Ladder {
  ModelFloor floor{};
  /// Whether the caches were flushed before every call: then the sums are no bounds, and nothing is
  /// said of frameworks.
  bool cold = false;
  /// Per layer: seconds of its calls in the bound; empty if the layer has no calls of its own
  /// there.
  std::vector<std::optional<double>> seconds{};
  /// Per layer: seconds that the multiplications of its calls take at the peak rate. Empty if the
  /// peak is not known, and for calls that multiply transforms (Winograd, FFT): nobody says how
  /// many multiplications those do.
  std::vector<std::optional<double>> multiplying_seconds{};
  /// The sequential bound with the cheapest set of fusions, and without fusion.
  double fused_seconds = 0;
  double sequential_seconds = 0;
  double parallel_seconds = 0;
  /// Number of fusions without a measurement: the bound with fusion may be lower.
  std::size_t missing_fusions = 0;
  /// Layers that have a time only as part of a fusion.
  std::vector<std::size_t> only_fused{};
  /// Number of layers without a time in either bound.
  std::size_t in_neither = 0;
  /// The bound with a framework's kernels (--seen).
  std::optional<double> seen_seconds{};
  /// One per profile that has a latency: its fastest run.
  std::vector<Rung> frameworks{};

  /// The layer's floor in seconds; empty if it is unknown or the layer has no call.
  std::optional<double> layer_floor(std::size_t layer) const;
  /// The layer's time over its floor; empty if the floor is 0 or unknown. It is the product of
  /// 1 / reaches(), what a call of the same multiplications could give, and fewer_products().
  std::optional<double> head_room(std::size_t layer) const;
  /// The share of the device's peak that the layer's call reaches: of arithmetic, by the
  /// multiplications it does, or of memory, whichever is larger. Empty if either is unknown or both
  /// are 0.
  std::optional<double> reaches(std::size_t layer) const;
  /// How much less time the known algorithms of the fewest multiplications would take at the peak,
  /// as a factor of 1 or more.
  std::optional<double> fewer_products(std::size_t layer) const;
  /// What the layer's calls take at the peaks if they do the same multiplications; empty
  /// if that is not known.
  std::optional<double> peak_seconds(std::size_t layer) const;
  /// Layers whose call takes less than their floor: the peaks, the time or the floor is wrong.
  std::vector<std::size_t> undercut() const;
  /// Whether the floor is above the bound because each call was repeated with its operands in the
  /// caches, which do not hold those of the whole model.
  bool is_of_warm_calls() const;
  /// Reasons why the ladder does not hold, one sentence each; empty if it holds. Layer names are
  /// taken from `graph`.
  std::vector<std::string> breaks(const Graph& graph) const;

 private:
  /// What breaks() says of a framework.
  void add_breaks(const Rung& rung, std::vector<std::string>& sentences) const;
};

/// Returns the ladder without frameworks. `times`: operator_times().
Ladder make_ladder(const Graph& graph, const MeasurementSet& measurements,
                   const MeasurementFilter& filter, Movement movement,
                   const std::vector<LayerTime>& times, const DeviceRates& rates);

void add_frameworks(Ladder& ladder, const Graph& graph, const std::vector<Comparison>& comparisons);

/// What the multiplications that a layer's calls do take at the peak rate; empty if unknown
/// (Ladder::multiplying_seconds).
std::optional<double> multiplying_seconds(const LayerTime& time, const DeviceRates& rates);

}  // namespace benanza::analysis
