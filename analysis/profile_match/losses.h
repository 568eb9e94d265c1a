#pragma once

#include <vector>

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

}  // namespace benanza::analysis
