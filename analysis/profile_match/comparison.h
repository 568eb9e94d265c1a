#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/input/results.h"
#include "analysis/model/bounds.h"
#include "analysis/model/layer_time.h"
#include "analysis/profile_match/mapping.h"
#include "analysis/profiles/latency.h"
#include "analysis/profiles/profile.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// Time of a framework's operator beyond the lower bound of its layers, in seconds.
struct Loss {
  std::size_t node = 0;
  /// Of the operator, scaled to the latency (Losses::factor).
  double seconds = 0;
  /// 0 if it does no layer of the model.
  double bound_seconds = 0;
  double lost_seconds = 0;
  /// What it may be, by the ranges of the two times.
  Interval range{};
  /// Whether the ranges of the two times overlap: the difference may be none.
  bool within_noise = false;
};

/// The operators' times are those of runs with the profiler on, which take longer; the latency is
/// that of runs without it.
struct Losses {
  /// Sum over the framework's operators, as profiled.
  double operator_seconds = 0;
  /// How long the profiled run took: operator_seconds, or less if operators ran at the same time.
  double profiled_seconds = 0;
  /// By which the operators' times are multiplied, so that the profiled run takes no longer than
  /// the latency. 1 if they do so already: what is missing is spent between the operators. 1
  /// without a latency.
  double factor = 1;
  /// Largest first; without `unknown`: operators that do a layer whose bound is unknown.
  std::vector<Loss> list{};
  std::vector<std::size_t> unknown{};
};

/// `times`: operator_times(). Operators that only move bytes are compared with the copies that were
/// measured, in the bound or not. `latency`: null if unknown.
Losses losses_of(const Profile& profile, const Mapping& mapping,
                 const std::vector<LayerTime>& times, const ModelLatency* latency);

/// The ratios BR of a time: lower-bound latency / latency.
struct Ratios {
  double sequential = 0;
  double parallel = 0;
};

/// The time of a run, and its ratios BR: lower-bound latency / latency.
struct Latency {
  double seconds = 0;
  double sequential_ratio = 0;
  double parallel_ratio = 0;
  /// What the processes and their runs say; empty for a time that no process measured as a latency.
  std::optional<ModelLatency> measured{};
  /// Of the slower of two modes.
  std::optional<Ratios> slower{};
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
  Losses losses{};
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
                   const Profile& profile);

}  // namespace benanza::analysis
