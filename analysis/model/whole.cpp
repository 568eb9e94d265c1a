#include "analysis/model/whole.h"

#include <algorithm>

#include "analysis/model/fusion.h"

namespace benanza::analysis {
namespace {

/// Replaces the layers of `fusion` in `times` by the one call.
void count_as_one_call(const Graph& graph, const Fusion& fusion, const LayerTime& call,
                       Movement movement, std::vector<LayerTime>& times) {
  const std::size_t last = fusion.layers.back();
  for (const std::size_t layer : fusion.layers) {
    const std::optional<double> alone = seconds_alone(times[layer], movement);
    if (layer == last) {
      times[layer] = call;
      times[layer].fusion = fusion.pattern;
      times[layer].does = fusion.layers;
    } else if (times[layer].status != LayerStatus::free) {
      times[layer] = {
          .status = LayerStatus::part,
          .note = "part of " + fusion.pattern + ", done by the call of " + graph.layers[last].name};
    }
    times[layer].alone_seconds = alone;
  }
}

}  // namespace

std::vector<std::size_t> OperatorTimes::used() const {
  std::vector<std::size_t> fusions;
  for (const WholeChoice& whole : wholes) {
    if (whole.used) fusions.push_back(whole.fusion);
  }
  return fusions;
}

OperatorTimes operators_of(const Graph& graph, const MeasurementSet& measurements,
                           const MeasurementFilter& filter, Movement movement,
                           const std::vector<bool>& allowed) {
  OperatorTimes result{.layers = layer_times(graph, measurements, filter)};
  std::vector<LayerTime> calls(graph.fusions.size());
  for (std::size_t index = 0; index < graph.fusions.size(); ++index) {
    const Fusion& fusion = graph.fusions[index];
    // A single-layer one is a way of that layer, which layer_times() already considered.
    if (!fusion.whole || fusion.layers.size() < 2) continue;
    if (!allowed.empty() && !allowed[index]) continue;
    calls[index] = fusion_time(fusion, measurements, filter);
    result.wholes.push_back({.fusion = index,
                             .time = calls[index],
                             .apart_seconds = seconds_apart(fusion, result.layers, movement)});
  }
  if (result.wholes.empty()) return result;
  const Cover cover = fusion_cover(graph, result.layers, calls, movement);
  for (WholeChoice& whole : result.wholes) {
    whole.used = std::ranges::find(cover.pieces, whole.fusion) != cover.pieces.end();
    if (!whole.used) continue;
    count_as_one_call(graph, graph.fusions[whole.fusion], whole.time, movement, result.layers);
  }
  return result;
}

std::vector<LayerTime> operator_times(const Graph& graph, const MeasurementSet& measurements,
                                      const MeasurementFilter& filter, Movement movement) {
  return operators_of(graph, measurements, filter, movement).layers;
}

std::vector<double> shared_seconds(const std::vector<LayerTime>& times, Movement movement) {
  std::vector<double> seconds = counted_seconds(times, movement);
  for (const LayerTime& time : times) {
    if (time.does.empty() || !time.seconds) continue;
    double total = 0;
    double members = 0;
    bool known = true;
    for (const std::size_t layer : time.does) {
      if (times[layer].status == LayerStatus::free) continue;
      members += 1;
      known = known && times[layer].alone_seconds.has_value();
      total += times[layer].alone_seconds.value_or(0);
    }
    for (const std::size_t layer : time.does) {
      if (times[layer].status == LayerStatus::free) continue;
      const double share = known && total > 0 ? *times[layer].alone_seconds / total : 1 / members;
      seconds[layer] = *time.seconds * share;
    }
  }
  return seconds;
}

}  // namespace benanza::analysis
