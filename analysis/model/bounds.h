#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "analysis/model/critical_path.h"
#include "analysis/model/layer_time.h"
#include "analysis/model/spread.h"
#include "core/graph_file/graph.h"
#include "core/statistics/repetitions.h"

namespace benanza::analysis {

/// Returns the seconds that every layer adds to a bound: 0 if it is free, left out or unknown.
std::vector<double> counted_seconds(const std::vector<LayerTime>& times, Movement movement);
bool is_counted(const LayerTime& time, Movement movement);

/// Returns the layers that have a time in some of `alternatives` and lack it in others, and those
/// that share a call with such a layer. Leaving them out on one side only would make that side look
/// faster.
std::vector<std::size_t> one_sided_layers(std::span<const std::vector<LayerTime>> alternatives,
                                          Movement movement);
/// Marks these layers unsupported, so that they count in no bound.
void leave_out(std::vector<LayerTime>& times, const std::vector<std::size_t>& layers);

struct Bound {
  double seconds = 0;
  /// Spread::interval and Spread::processes.
  std::optional<Interval> spread{};
  std::size_t processes = 0;
};

struct Bounds {
  Bound sequential{};
  Bound parallel{};
  /// Layers of the critical path, from first to last.
  std::vector<std::size_t> path{};
};

/// Computes both bounds of `graph`. The upper ends of the spreads include what choosing the fastest
/// calls may have gained by chance (LayerTime::luck_seconds). Spreads come from whole processes,
/// summed over layers (ProcessSum), or, if most calls were measured in one process only, from its
/// repetitions (RepetitionSum): over all layers for the sequential bound, over the critical path
/// for the parallel one. Of several paths of about equal length, the longest is longer than any of
/// them by chance: if leaving out one process (repetition) changes the path, the lower end may be
/// that of paths chosen by the other ones (cross-validation).
Bounds bounds(const Graph& graph, const std::vector<LayerTime>& times, Movement movement);

struct LayerEnergy {
  std::size_t layer = 0;
  double joules = 0;
};

/// Energy of the calls that the bound rests on, one after the other.
struct ModelEnergy {
  /// Largest first; layers with a call of unknown energy are left out.
  std::vector<LayerEnergy> layers;
  double joules = 0;
  /// The bound of these layers, and of all.
  double known_seconds = 0;
  double seconds = 0;

  /// The joules, if the energy of every call is known.
  std::optional<double> complete_joules() const;
};

ModelEnergy energy_of(const std::vector<LayerTime>& times, Movement movement);

/// Tensors that change their type between two layers of a bound, because their calls run at
/// different precisions. The bound does not include the conversions.
struct Conversions {
  /// Each tensor once for each type that its readers want.
  std::size_t tensors = 0;
  /// Read and written; empty if a shape is unknown.
  std::optional<double> bytes = 0;
};

/// Layers without calls, or that only move bytes, pass on what they read. Inputs and outputs of the
/// model are taken to have the type that their layers want.
Conversions conversions(const Graph& graph, const std::vector<LayerTime>& times);

}  // namespace benanza::analysis
