#pragma once

#include <optional>
#include <string>

#include "analysis/questions/common/collective_curves.h"

namespace benanza::analysis {

/// What GPUs are connected by.
struct Cluster {
  /// Between the GPUs of a node.
  CollectiveCurves inside{};
  std::int64_t gpus_per_node = 1;
  /// Between nodes: a stated line, or all-reduces that were measured with a rank on each.
  std::optional<AlphaBeta> network{};
  CollectiveCurves between{};

  std::int64_t gpus_of_a_node(std::int64_t gpus) const;
};

/// The cost of messages, or why it is not known.
struct KnownCost {
  CommunicationCost cost{};
  std::string reason{};
};

/// Of an all-reduce over `gpus`, two or more. Over several nodes, all of them whole: that of a
/// node's GPUs, and that of as many bytes between the nodes, one after the other (the GPUs of a
/// node share its network).
KnownCost all_reduce_cost(const Cluster& cluster, std::int64_t gpus);

/// Of a broadcast over `gpus`, two or more: where it was not measured, that of an all-reduce, which
/// sends as much and more.
KnownCost broadcast_cost(const Cluster& cluster, std::int64_t gpus);

/// Of a parameter server beside one of the workers: a transfer is a broadcast between two GPUs, or
/// over the network where there are several nodes.
KnownCost parameter_server_cost(const Cluster& cluster, std::int64_t gpus);

/// "ALPHA,BETA": seconds, and seconds per byte. Empty if `text` is none.
std::optional<AlphaBeta> parse_alpha_beta(const std::string& text);

}  // namespace benanza::analysis
