#pragma once

#include <optional>
#include <span>
#include <vector>

#include "analysis/model/layer_time.h"
#include "core/graph_file/graph.h"
#include "core/statistics/statistics.h"

namespace benanza::analysis {

/// Are layers that only move bytes part of the bound?
enum class Movement { exclude, include };

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

/// What every layer adds to a bound, in seconds: 0 where it is free, left out or unknown.
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
