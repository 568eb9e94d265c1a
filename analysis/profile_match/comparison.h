#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/input/results.h"
#include "analysis/model/bounds.h"
#include "analysis/profile_match/mapping.h"
#include "analysis/profiles/profile.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// Time of a framework's operator beyond the lower bound of its layers, in seconds.
struct Loss {
  std::size_t node = 0;
  /// 0 if it does no layer of the model.
  double bound_seconds = 0;
  double lost_seconds = 0;
};

/// The time of a run, and its ratios BR: lower-bound latency / latency.
struct Latency {
  /// Median of the runs, and its 95% interval (order statistics) if there are at least six.
  double seconds = 0;
  std::optional<Interval> spread{};
  double sequential_ratio = 0;
  double parallel_ratio = 0;
};

/// A framework's run of a model compared with the model's bounds.
struct Comparison {
  /// One run of the model: one_run() of the profile that was read.
  std::shared_ptr<const Profile> profile{};
  Mapping mapping{};
  /// Measured with the profiler off. Empty for a bare trace.
  std::optional<Latency> latency{};
  /// The same, run as a CUDA graph.
  std::optional<Latency> graph_latency{};
  /// Time that the GPU was busy, with the profiler on.
  std::optional<Latency> busy{};
  /// Sum over the framework's operators.
  double operator_seconds = 0;
  /// Largest first; without unknown_nodes: operators that do a layer whose bound is unknown.
  std::vector<Loss> losses{};
  std::vector<std::size_t> unknown_nodes{};
  /// Nodes that do no layer of the model.
  std::vector<std::size_t> extra_nodes{};
  /// Layers with work to do that have no operator of their own in the profile: fused into another
  /// one, or eliminated.
  std::vector<std::size_t> absent_layers{};
  /// Reasons why the two may not be comparable: different threads, precision, versions or shapes.
  std::vector<std::string> warnings{};
};

/// Returns one sentence for each difference between what `profile` states and the results' systems
/// and the requested precision.
std::vector<std::string> differences(const Profile& profile, Precision precision,
                                     const std::map<std::string, System>& systems);

/// Throws Error, one line, if the profile's operators are not those of `graph` (same_model.h).
Comparison compare(const Graph& graph, const std::vector<LayerTime>& times, const Bounds& bounds,
                   Movement movement, const Profile& profile);

}  // namespace benanza::analysis
