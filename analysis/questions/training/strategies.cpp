#include "analysis/questions/training/strategies.h"

#include <numeric>
#include <utility>

#include "core/base/error.h"

namespace benanza::analysis {
namespace {

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
