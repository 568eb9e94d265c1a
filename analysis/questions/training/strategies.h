#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/questions/training/cluster.h"

namespace benanza::analysis {

/// How the parts of an iteration overlap, and how gradients travel.
struct Strategy {
  std::string name{};
  Overlap overlap{};
  Buckets buckets{};
  /// Over a parameter server instead of an all-reduce.
  bool server = false;
};

/// From no overlap to as much as there can be. `buckets`: of those that have them, `buckets_name`
/// ("buckets of 25 MB"): left out where it is a message for each layer, as another strategy has it.
std::vector<Strategy> strategies(const Buckets& buckets, const std::string& buckets_name,
                                 double contention);

/// What the workers read, in seconds: of one of `gpus` of a node, all of which share its reader.
struct InputTimes {
  /// Reading one worker's samples, alone on a node.
  double io = 0;
  double to_device = 0;
};

/// One number of GPUs by one strategy.
struct Scaling {
  std::int64_t gpus = 1;
  std::string strategy{};
  /// Empty: not known; `reason` says why.
  std::optional<Iteration> iteration{};
  std::string reason{};
  std::size_t messages = 0;
  Bottleneck bottleneck = Bottleneck::computation;
  /// Against one GPU that overlaps its input likewise.
  double speed_up = 1;
  double efficiency = 1;
};

/// Every number of GPUs by every strategy; of one GPU those without communication.
std::vector<Scaling> scalings(const WorkerStep& step, const InputTimes& input,
                              const Cluster& cluster, const std::vector<std::int64_t>& gpus,
                              const std::vector<Strategy>& all);

}  // namespace benanza::analysis
