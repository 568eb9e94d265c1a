#include "analysis/profile_match/comparison.h"

#include <algorithm>

#include "analysis/model/whole.h"
#include "analysis/profile_match/same_model.h"
#include "core/base/error.h"
#include "core/statistics/summary.h"

namespace benanza::analysis {
namespace {

/// With fewer runs, order statistics give no 95% interval.
constexpr std::size_t least_runs = 6;

std::optional<Interval> latency_interval(const std::vector<double>& runs) {
  if (runs.size() < least_runs) return std::nullopt;
  return order_statistic_interval(runs);
}

/// Layers whose names the profile states with other shapes than the graph: an optimizer may have
/// changed them, or the graph is of other dimensions in part.
std::vector<std::string> other_shapes(const Graph& graph, const Mapping& mapping) {
  std::size_t count = 0;
  std::string first;
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    if (mapping.evidence[layer] != Evidence::differs) continue;
    if (count++ == 0) first = graph.layers[layer].name;
  }
  if (count == 0) return {};
  return {"shapes: of " + std::to_string(count) + " layers, the first of them " + first};
}

}  // namespace

std::vector<std::string> differences(const Profile& profile, Precision precision,
                                     const std::map<std::string, System>& systems) {
  std::vector<std::string> sentences;
  const auto check = [&](const std::string& what, const std::string& profiled,
                         const std::string& measured) {
    if (profiled != measured) {
      sentences.push_back(what + ": " + profiled + " in the profile, " + measured +
                          " in the results");
    }
  };
  if (!profile.precision.empty()) {
    check("precision", profile.precision, std::string(to_string(precision)));
  }
  for (const auto& [backend, system] : systems) {
    const auto threads = system.find("threads");
    if (profile.threads && threads != system.end()) {
      check("threads", std::to_string(*profile.threads), threads->second);
    }
    if (const auto device = other_device(profile, system)) {
      check(profile.is_of_gpu() ? "device" : "processor", profile.device, *device);
    }
    for (const auto& [library, version] : profile.versions) {
      const auto measured = system.find(library);
      if (measured != system.end()) check(library, version, measured->second);
    }
  }
  return sentences;
}

Comparison compare(const Graph& graph, const std::vector<LayerTime>& times, const Bounds& bounds,
                   Movement movement, const Profile& read) {
  Comparison comparison{.profile = std::make_shared<const Profile>(one_run(read, graph))};
  const Profile& profile = *comparison.profile;
  comparison.mapping = map_layers(graph, profile.nodes);
  require_same_model(graph, comparison.mapping, profile);
  comparison.warnings = other_shapes(graph, comparison.mapping);
  const auto ratios = [&](Latency& latency) {
    latency.sequential_ratio = bounds.sequential.seconds / latency.seconds;
    latency.parallel_ratio = bounds.parallel.seconds / latency.seconds;
  };
  const auto latency_of = [&](const std::vector<double>& samples) {
    Latency latency{.seconds = median(samples), .spread = latency_interval(samples)};
    ratios(latency);
    return latency;
  };
  if (!profile.latency_seconds.empty()) {
    comparison.latency = latency_of(profile.latency_seconds);
  }
  if (!profile.graph_latency_seconds.empty()) {
    comparison.graph_latency = latency_of(profile.graph_latency_seconds);
  }
  if (profile.timeline) {
    Latency busy{.seconds = profile.timeline->busy_seconds};
    ratios(busy);
    comparison.busy = busy;
  }

  const std::vector<double> counted = shared_seconds(times, movement);
  for (std::size_t node = 0; node < profile.nodes.size(); ++node) {
    const std::vector<std::size_t>& layers = comparison.mapping.layers_of_node[node];
    const double seconds = profile.nodes[node].seconds;
    comparison.operator_seconds += seconds;
    if (layers.empty()) comparison.extra_nodes.push_back(node);
    Loss loss{.node = node};
    bool known = true;
    for (const std::size_t layer : layers) {
      loss.bound_seconds += counted[layer];
      known = known && !lacks_time(times[layer], movement);
    }
    loss.lost_seconds = seconds - loss.bound_seconds;
    if (known) {
      comparison.losses.push_back(loss);
    } else {
      comparison.unknown_nodes.push_back(node);
    }
  }
  std::stable_sort(comparison.losses.begin(), comparison.losses.end(),
                   [](const Loss& a, const Loss& b) { return a.lost_seconds > b.lost_seconds; });
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    const bool has_work = graph.layers[layer].cost != Cost::free;
    if (has_work && !comparison.mapping.named[layer]) comparison.absent_layers.push_back(layer);
  }
  return comparison;
}

}  // namespace benanza::analysis
