#include "analysis/questions/training/cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/base/text.h"

namespace benanza::analysis {
namespace {

std::string curve_name(CollectiveKind kind, std::int64_t ranks) {
  return fmt::format("{} of {} ranks", to_string(kind), ranks);
}

KnownCost measured(const CollectiveCurves& curves, CollectiveKind kind, std::int64_t ranks) {
  const CollectiveCurve* const curve = curves.find(kind, ranks);
  if (curve != nullptr) return {.cost = cost_of(*curve, curve_name(kind, ranks))};
  return {.reason = curve_name(kind, ranks) + ": not measured"};
}

KnownCost between_nodes(const Cluster& cluster, std::int64_t nodes) {
  if (cluster.network) {
    return {.cost = [line = *cluster.network, n = static_cast<double>(nodes)](double bytes) {
      return ring_all_reduce_seconds(line, n, bytes);
    }};
  }
  if (cluster.between.curves.empty()) {
    return {.reason = fmt::format("{} nodes: no --network", nodes)};
  }
  KnownCost known = measured(cluster.between, CollectiveKind::all_reduce, nodes);
  if (!known.cost) known.reason = "--network: " + known.reason;
  return known;
}

}  // namespace

std::int64_t Cluster::gpus_of_a_node(std::int64_t gpus) const {
  return std::min(gpus, gpus_per_node);
}

KnownCost all_reduce_cost(const Cluster& cluster, std::int64_t gpus) {
  if (gpus <= cluster.gpus_per_node) {
    return measured(cluster.inside, CollectiveKind::all_reduce, gpus);
  }
  KnownCost between = between_nodes(cluster, gpus / cluster.gpus_per_node);
  if (!between.cost || cluster.gpus_per_node == 1) return between;
  KnownCost inside = measured(cluster.inside, CollectiveKind::all_reduce, cluster.gpus_per_node);
  if (!inside.cost) return inside;
  return {.cost = [inside = std::move(inside.cost), between = std::move(between.cost)](
                      double bytes) { return inside(bytes) + between(bytes); }};
}

KnownCost broadcast_cost(const Cluster& cluster, std::int64_t gpus) {
  if (gpus <= cluster.gpus_per_node) {
    KnownCost known = measured(cluster.inside, CollectiveKind::broadcast, gpus);
    if (known.cost) return known;
  }
  return all_reduce_cost(cluster, gpus);
}

KnownCost parameter_server_cost(const Cluster& cluster, std::int64_t gpus) {
  const auto workers = static_cast<std::size_t>(gpus);
  if (gpus > cluster.gpus_per_node) {
    if (!cluster.network) return {.reason = "several nodes: no --network ALPHA,BETA"};
    return {.cost = parameter_server(workers, [line = *cluster.network](double bytes) {
              return line.alpha_seconds + line.seconds_per_byte * bytes;
            })};
  }
  KnownCost transfer = measured(cluster.inside, CollectiveKind::broadcast, 2);
  if (!transfer.cost) return transfer;
  return {.cost = parameter_server(workers, std::move(transfer.cost))};
}

std::optional<AlphaBeta> parse_alpha_beta(const std::string& text) {
  const std::size_t comma = text.find(',');
  if (comma == text.npos) return std::nullopt;
  const auto alpha = text::number<double>(std::string_view(text).substr(0, comma));
  const auto beta = text::number<double>(std::string_view(text).substr(comma + 1));
  if (!alpha || !beta || !(*alpha >= 0) || !(*beta >= 0)) return std::nullopt;
  return AlphaBeta{*alpha, *beta};
}

}  // namespace benanza::analysis
