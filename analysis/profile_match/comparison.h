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

/// Time of a framework's operator beyond the lower bound of the layers it does. Seconds.
struct Loss {
  std::size_t node = 0;
  /// 0 where it does no layer of the model.
  double bound_seconds = 0;
  double lost_seconds = 0;
};

/// How long a run took, and BR: LBL / that.
struct Latency {
  /// Median of the runs, and its 95% interval (order statistics) from six on.
  double seconds = 0;
  std::optional<Interval> spread{};
  double sequential_ratio = 0;
  double parallel_ratio = 0;
};

/// A framework's run of a model beside the model's bounds.
struct Comparison {
  /// One run of the model: one_run() of what was read.
  std::shared_ptr<const Profile> profile{};
  Mapping mapping{};
  /// With the profiler off. Empty for a bare trace, which knows none.
  std::optional<Latency> latency{};
  /// The same as a CUDA graph.
  std::optional<Latency> graph_latency{};
  /// The time the GPU was busy, with the profiler on.
  std::optional<Latency> busy{};
  /// Sum over the framework's operators.
  double operator_seconds = 0;
  /// Largest first. Not there: operators that do a layer whose bound is unknown.
  std::vector<Loss> losses{};
  std::vector<std::size_t> unknown_nodes{};
  /// Nodes that do no layer of the model.
  std::vector<std::size_t> extra_nodes{};
  /// Layers with work to do for which the framework ran no operator of their own: folded into
  /// another's, or gone.
  std::vector<std::size_t> absent_layers{};
  /// Why the two may not be comparable: other threads, another processor, another precision.
  std::vector<std::string> warnings{};
};

/// Differences between the results' systems and asked precision and those that `profile` states,
/// one sentence each.
std::vector<std::string> differences(const Profile& profile, Precision precision,
                                     const std::map<std::string, System>& systems);

/// Throws Error, one line, if the profile's operators are not those of `graph` (same_model.h).
Comparison compare(const Graph& graph, const std::vector<LayerTime>& times, const Bounds& bounds,
                   Movement movement, const Profile& profile);

}  // namespace benanza::analysis
