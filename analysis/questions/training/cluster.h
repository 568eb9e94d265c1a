#pragma once

#include <optional>
#include <string>

#include "analysis/questions/common/collective_curves.h"

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

}  // namespace benanza::analysis
