#pragma once

#include <span>
#include <vector>

#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// Layers that run one after the other, and their total time.
struct CriticalPath {
  double seconds = 0;
  std::vector<std::size_t> layers;
};

double sequential_seconds(std::span<const double> seconds);

/// Returns the longest path through the data flow, in which a layer weighs `seconds[layer]`: the
/// time with unlimited parallelism between independent layers. Of equally long paths, returns the
/// one with the lowest layer indices. `layers` must not form a cycle.
CriticalPath critical_path(const std::vector<Layer>& layers, std::span<const double> seconds);

/// The same, given topological_order(layers).
CriticalPath critical_path(const std::vector<Layer>& layers, const std::vector<std::size_t>& order,
                           std::span<const double> seconds);

/// When one layer runs, in seconds from the start of the model.
struct Slot {
  std::size_t layer = 0;
  double start = 0;
  double finish = 0;
  /// Overlapping layers are in different lanes.
  std::size_t lane = 0;
};

/// The schedule of the parallel bound: every layer starts when the last of its inputs ends. Sorted
/// by start; without layers of zero duration.
std::vector<Slot> parallel_schedule(const std::vector<Layer>& layers,
                                    std::span<const double> seconds);
/// The schedule of the sequential bound, in topological order; otherwise as above.
std::vector<Slot> sequential_schedule(const std::vector<Layer>& layers,
                                      std::span<const double> seconds);

}  // namespace benanza::analysis
