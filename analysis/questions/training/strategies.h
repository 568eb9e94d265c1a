#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/model/collective_curves.h"

namespace benanza::analysis {

/// How GPUs are connected.
struct Cluster {
  /// Collectives between the GPUs of a node.
  CollectiveCurves inside{};
  std::int64_t gpus_per_node = 1;
  /// Between nodes: a given alpha-beta line, or all-reduces measured with one rank per node.
  std::optional<AlphaBeta> network{};
  CollectiveCurves between{};

  std::int64_t gpus_of_a_node(std::int64_t gpus) const;
};

/// The cost of messages, or the reason why it is unknown.
struct KnownCost {
  CommunicationCost cost{};
  std::string reason{};
};

/// Cost of an all-reduce over `gpus` (at least two). Over several nodes, all fully used: an
/// all-reduce within a node, then one of the same bytes between the nodes (the GPUs of a node share
/// its network).
KnownCost all_reduce_cost(const Cluster& cluster, std::int64_t gpus);

/// Cost of a broadcast over `gpus` (at least two). If it was not measured, that of an all-reduce,
/// which sends at least as much.
KnownCost broadcast_cost(const Cluster& cluster, std::int64_t gpus);

/// Cost of a parameter server located with one of the workers: a transfer is a broadcast between
/// two GPUs, or goes over the network if there are several nodes.
KnownCost parameter_server_cost(const Cluster& cluster, std::int64_t gpus);

/// Parses "ALPHA,BETA": seconds, and seconds per byte. Empty if `text` is malformed.
std::optional<AlphaBeta> parse_alpha_beta(const std::string& text);

/// How the parts of an iteration overlap, and how gradients travel.
struct Strategy {
  std::string name{};
  Overlap overlap{};
  Buckets buckets{};
  /// Over a parameter server instead of an all-reduce.
  bool server = false;
};

/// The strategies from no overlap to full overlap. `buckets` is for those that use buckets, named
/// `buckets_name` ("buckets of 25 MB"); left out if it means one message per layer, which is a
/// strategy of its own.
std::vector<Strategy> strategies(const Buckets& buckets, const std::string& buckets_name,
                                 double contention);

/// Seconds of a worker's input. The workers of a node share its reader.
struct InputTimes {
  /// Reading one worker's samples if it is alone on its node.
  double io = 0;
  double to_device = 0;
};

/// Measured work of several workers besides computing and adding up gradients; copies of gradients
/// are in the WorkerStep (pack, unpack). Empty: unknown, not counted.
struct OwnWork {
  /// Slowest worker, message slowdown and host; `buffers` is left at 0.
  Together together{};
  /// Bytes of each buffer that worker 0 sends, by type.
  std::map<std::string, std::vector<double>> buffers{};
  /// Seconds of a copy on the device.
  std::function<double(double bytes)> copy{};
};

/// Seconds spent on buffers before the forward pass: those of each type are packed into one
/// message, sent, and copied back one by one. 0 if there are none or copies were not measured.
double buffers_seconds(const OwnWork& work, const CommunicationCost& broadcast);

/// One strategy on a number of GPUs.
struct Scaling {
  std::int64_t gpus = 1;
  std::string strategy{};
  /// Empty if unknown; then `reason` says why.
  std::optional<Iteration> iteration{};
  std::string reason{};
  std::size_t messages = 0;
  Bottleneck bottleneck = Bottleneck::computation;
  /// Relative to one GPU with the same overlap of input.
  double speed_up = 1;
  double efficiency = 1;
};

/// Every strategy on every number of GPUs; on one GPU only those without overlapped communication.
/// Gradients are copied into messages of several layers; a layer's own message is sent in place.
std::vector<Scaling> scalings(const WorkerStep& step, const InputTimes& input,
                              const Cluster& cluster, const std::vector<std::int64_t>& gpus,
                              const std::vector<Strategy>& all, const OwnWork& work = {});

}  // namespace benanza::analysis
