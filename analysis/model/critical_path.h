#pragma once

#include <span>
#include <vector>

#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// Layers one after the other, and how long they take together.
struct CriticalPath {
  double seconds = 0;
  std::vector<std::size_t> layers;
};

/// Sum of the layers' times.
double sequential_seconds(std::span<const double> seconds);

/// Longest path over the data flow, a layer weighing `seconds[layer]`: the time with unlimited
/// parallelism between layers that do not wait for each other. Of equally long paths the one with
/// the lowest layer indices. `layers` must not form a cycle.
CriticalPath critical_path(const std::vector<Layer>& layers, std::span<const double> seconds);

/// The same, with topological_order(layers) known.
CriticalPath critical_path(const std::vector<Layer>& layers, const std::vector<std::size_t>& order,
                           std::span<const double> seconds);

/// When one layer runs. Seconds from the start of the model.
struct Slot {
  std::size_t layer = 0;
  double start = 0;
  double finish = 0;
  /// Layers that overlap are in different lanes.
  std::size_t lane = 0;
};

/// The schedule behind the parallel bound: every layer starts when the last of its inputs ends.
/// Layers of no duration are left out. In the order of their starts.
std::vector<Slot> parallel_schedule(const std::vector<Layer>& layers,
                                    std::span<const double> seconds);
/// One layer after the other, in topological order, in one lane.
std::vector<Slot> sequential_schedule(const std::vector<Layer>& layers,
                                      std::span<const double> seconds);

}  // namespace benanza::analysis
