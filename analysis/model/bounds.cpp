#include "analysis/model/bounds.h"

#include <algorithm>

namespace benanza::analysis {
namespace {

/// The chosen measurements, each once, and which of them every counted layer sums.
struct Draws {
  std::vector<const Measurement*> measurements;
  std::vector<std::vector<std::size_t>> of_layer;
};

Draws collect(const std::vector<LayerTime>& times, Movement movement) {
  Draws draws;
  draws.of_layer.resize(times.size());
  for (std::size_t layer = 0; layer < times.size(); ++layer) {
    if (!is_counted(times[layer], movement)) continue;
    for (const Measurement* call : times[layer].calls) {
      const auto found = std::find(draws.measurements.begin(), draws.measurements.end(), call);
      draws.of_layer[layer].push_back(static_cast<std::size_t>(found - draws.measurements.begin()));
      if (found == draws.measurements.end()) draws.measurements.push_back(call);
    }
  }
  return draws;
}

}  // namespace

bool is_counted(const LayerTime& time, Movement movement) {
  if (!time.seconds) return false;
  return time.status == LayerStatus::measured ||
         (time.status == LayerStatus::movement && movement == Movement::include);
}

std::vector<double> counted_seconds(const std::vector<LayerTime>& times, Movement movement) {
  std::vector<double> seconds(times.size());
  for (std::size_t layer = 0; layer < times.size(); ++layer) {
    if (is_counted(times[layer], movement)) seconds[layer] = *times[layer].seconds;
  }
  return seconds;
}

Bounds bounds(const Graph& graph, const std::vector<LayerTime>& times, Movement movement) {
  const std::vector<double> seconds = counted_seconds(times, movement);
  const std::vector<std::size_t> order = topological_order(graph.layers);
  const CriticalPath path = critical_path(graph.layers, order, seconds);
  Bounds bounds{.sequential = {.seconds = sequential_seconds(seconds), .spread = {}},
                .parallel = {.seconds = path.seconds, .spread = {}},
                .path = path.layers};

  const Draws draws = collect(times, movement);
  const bool known = std::all_of(draws.measurements.begin(), draws.measurements.end(),
                                 [](const Measurement* call) { return call->samples.size() > 1; });
  if (draws.measurements.empty() || !known) return bounds;

  Random random(bootstrap_seed);
  std::vector<MedianResampler> resamplers;
  for (const Measurement* call : draws.measurements) resamplers.emplace_back(call->groups());
  std::vector<double> sequential;
  std::vector<double> parallel;
  std::vector<double> drawn(draws.measurements.size());
  std::vector<double> weights(times.size());
  for (int draw = 0; draw < bootstrap_draws; ++draw) {
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      drawn[i] = resamplers[i].draw(random);
    }
    for (std::size_t layer = 0; layer < times.size(); ++layer) {
      weights[layer] = 0;
      for (const std::size_t call : draws.of_layer[layer]) weights[layer] += drawn[call];
    }
    sequential.push_back(sequential_seconds(weights));
    parallel.push_back(critical_path(graph.layers, order, weights).seconds);
  }
  bounds.sequential.spread = percentile_interval(std::move(sequential));
  bounds.parallel.spread = percentile_interval(std::move(parallel));
  return bounds;
}

}  // namespace benanza::analysis
