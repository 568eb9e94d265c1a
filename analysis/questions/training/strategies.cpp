#include "analysis/questions/training/strategies.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include "core/base/error.h"
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

/// Adds the input times of one of `sharing` workers with a common reader.
WorkerStep with_input(WorkerStep step, const InputTimes& input, std::int64_t sharing) {
  step.io = input.io * static_cast<double>(sharing);
  step.to_device = input.to_device;
  return step;
}

WorkerStep without_copies(WorkerStep step) {
  for (BackwardLayer& layer : step.backward) layer.pack = layer.unpack = 0;
  return step;
}

Scaling scaling(const WorkerStep& step, const InputTimes& input, const Cluster& cluster,
                std::int64_t gpus, const Strategy& strategy, const OwnWork& work) {
  Scaling result{.gpus = gpus, .strategy = strategy.name};
  KnownCost known;
  if (gpus > 1) {
    known = strategy.server ? parameter_server_cost(cluster, gpus) : all_reduce_cost(cluster, gpus);
    if (!known.cost) {
      result.reason = std::move(known.reason);
      return result;
    }
  }
  const std::vector<Message> all = messages(step.backward, strategy.buckets);
  const WorkerStep own = with_input(strategy.buckets.bytes > 0 ? step : without_copies(step), input,
                                    cluster.gpus_of_a_node(gpus));
  try {
    Together together = work.together;
    if (gpus > 1) together.buffers = buffers_seconds(work, broadcast_cost(cluster, gpus).cost);
    result.iteration = iteration(own, all, known.cost, strategy.overlap, together);
    result.bottleneck = bottleneck(own, all, known.cost, strategy.overlap, together);
  } catch (const Error& error) {
    result.iteration.reset();
    result.reason = error.what();
    return result;
  }
  result.messages = known.cost ? all.size() : 0;
  const double alone = iteration(with_input(step, input, 1), {}, nullptr, strategy.overlap).seconds;
  if (result.iteration->seconds > 0) {
    result.speed_up = speed_up(static_cast<std::size_t>(gpus), alone, result.iteration->seconds);
    result.efficiency = efficiency(alone, result.iteration->seconds);
  }
  return result;
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

double buffers_seconds(const OwnWork& work, const CommunicationCost& broadcast) {
  if (!work.copy || !broadcast) return 0;
  double seconds = 0;
  for (const auto& [type, buffers] : work.buffers) {
    const double bytes = std::accumulate(buffers.begin(), buffers.end(), 0.0);
    if (!(bytes > 0)) continue;
    seconds += work.copy(bytes) + broadcast(bytes);
    for (const double buffer : buffers) seconds += work.copy(buffer);
  }
  return seconds;
}

std::vector<Strategy> strategies(const Buckets& buckets, const std::string& buckets_name,
                                 double contention) {
  const Overlap none{.contention = contention};
  const Overlap input{.input = true, .contention = contention};
  const Overlap all{.input = true, .communication = true, .contention = contention};
  std::vector<Strategy> found{
      {.name = "no overlap", .overlap = none, .buckets = buckets},
      {.name = "input overlapped", .overlap = input, .buckets = buckets},
      {.name = "layer by layer", .overlap = all, .buckets = Buckets::layer_by_layer()}};
  if (buckets.bytes > 0) {
    found.push_back({.name = buckets_name, .overlap = all, .buckets = buckets});
  }
  found.push_back({.name = "parameter server",
                   .overlap = all,
                   .buckets = Buckets::layer_by_layer(),
                   .server = true});
  return found;
}

std::vector<Scaling> scalings(const WorkerStep& step, const InputTimes& input,
                              const Cluster& cluster, const std::vector<std::int64_t>& gpus,
                              const std::vector<Strategy>& all, const OwnWork& work) {
  std::vector<Scaling> found;
  for (const std::int64_t count : gpus) {
    for (const Strategy& strategy : all) {
      if (count == 1 && strategy.overlap.communication) continue;
      found.push_back(scaling(step, input, cluster, count, strategy, work));
    }
  }
  return found;
}

}  // namespace benanza::analysis
