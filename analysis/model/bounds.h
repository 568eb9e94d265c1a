#pragma once

#include <optional>
#include <span>
#include <vector>

#include "analysis/model/critical_path.h"
#include "analysis/model/layer_time.h"
#include "core/graph_file/graph.h"
#include "core/statistics/repetitions.h"

namespace benanza::analysis {

/// Are layers that only move bytes part of the bound?
enum class Movement { exclude, include };

/// Seconds that every layer adds to a bound: 0 where it is free, left out or unknown.
std::vector<double> counted_seconds(const std::vector<LayerTime>& times, Movement movement);
bool is_counted(const LayerTime& time, Movement movement);

/// Layers that have a time in some of `alternatives` and lack it in others, and those that one call
/// does with such a layer. Left out on one side alone they would make that side look faster.
std::vector<std::size_t> one_sided_layers(std::span<const std::vector<LayerTime>> alternatives,
                                          Movement movement);
/// Makes these layers unsupported: they count in no bound.
void leave_out(std::vector<LayerTime>& times, const std::vector<std::size_t>& layers);

struct Bound {
  double seconds = 0;
  /// 95%; empty where a measurement in it has fewer than least_repetitions.
  std::optional<Interval> spread{};
};

struct Bounds {
  Bound sequential{};
  Bound parallel{};
  /// Layers of the critical path, first to last.
  std::vector<std::size_t> path{};
};

/// Both bounds of `graph`. Spreads come from whole repetitions, added up over layers
/// (RepetitionSum): of the sequential bound over all, of the parallel one over the critical path.
/// The longest of several paths that are about equally long is longer than any of them by chance:
/// where leaving out one repetition changes the path, the lower end is that of paths chosen by the
/// other repetitions (cross-validation).
Bounds bounds(const Graph& graph, const std::vector<LayerTime>& times, Movement movement);

}  // namespace benanza::analysis
