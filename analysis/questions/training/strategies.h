#pragma once

#include <functional>
#include <map>
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

/// What several workers do beside computing and adding up gradients, as it was measured. The step's
/// own pack and unpack belong to it. Empty: not known, nothing is counted.
struct OwnWork {
  /// Of the slowest worker, of messages and of the host; its buffers are left at 0.
  Together together{};
  /// Bytes of each buffer that worker 0 sends, by type.
  std::map<std::string, std::vector<double>> buffers{};
  /// Seconds of a copy on the device.
  std::function<double(double bytes)> copy{};
};

/// Before the forward pass the buffers of each type are put into one message, sent, and copied to
/// where they belong, one by one. 0 where there are none, or copies were not measured.
double buffers_seconds(const OwnWork& work, const CommunicationCost& broadcast);

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

/// Every number of GPUs by every strategy; of one GPU those without communication. Gradients are
/// copied into messages of several layers; a layer's own message is sent from where it is.
std::vector<Scaling> scalings(const WorkerStep& step, const InputTimes& input,
                              const Cluster& cluster, const std::vector<std::int64_t>& gpus,
                              const std::vector<Strategy>& all, const OwnWork& work = {});

}  // namespace benanza::analysis
