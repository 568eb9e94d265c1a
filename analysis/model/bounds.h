#pragma once

#include <optional>
#include <vector>

#include "analysis/model/critical_path.h"
#include "analysis/model/layer_time.h"
#include "core/graph_file/graph.h"
#include "core/statistics/statistics.h"

namespace benanza::analysis {

/// Are layers that only move bytes part of the bound?
enum class Movement { exclude, include };

/// Seconds that every layer adds to a bound: 0 where it is free, left out or unknown.
std::vector<double> counted_seconds(const std::vector<LayerTime>& times, Movement movement);
bool is_counted(const LayerTime& time, Movement movement);

struct Bound {
  double seconds = 0;
  /// 95% bootstrap interval; empty if a measurement in it has a single sample.
  std::optional<Interval> spread{};
};

struct Bounds {
  Bound sequential{};
  Bound parallel{};
  /// Layers of the critical path, first to last.
  std::vector<std::size_t> path{};
};

/// Both bounds of `graph`. The spread redraws the repetitions of every chosen measurement and their
/// samples (once per draw, however many layers share it), takes the medians and computes the bounds
/// anew.
Bounds bounds(const Graph& graph, const std::vector<LayerTime>& times, Movement movement);

}  // namespace benanza::analysis
