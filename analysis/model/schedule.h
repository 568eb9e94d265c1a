#pragma once

#include <span>
#include <vector>

#include "core/graph_file/graph.h"

namespace benanza::analysis {

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
