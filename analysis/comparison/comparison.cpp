#include "comparison/comparison.h"

#include <algorithm>

#include "base/error.h"
#include "statistics/statistics.h"

namespace benanza {
namespace {

bool is_product(const Layer& layer) {
  return std::any_of(layer.problems.begin(), layer.problems.end(), [](std::string_view key) {
    return key.starts_with("conv/") || key.starts_with("gemm/");
  });
}

void require_same_model(const Graph& graph, const Mapping& mapping, const Profile& profile) {
  const bool products = std::any_of(graph.layers.begin(), graph.layers.end(), is_product);
  std::size_t expected = 0;
  std::size_t found = 0;
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    const bool counts =
        products ? is_product(graph.layers[layer]) : graph.layers[layer].cost == Cost::measured;
    if (!counts) continue;
    ++expected;
    if (mapping.named[layer]) ++found;
  }
  if (2 * found >= expected) return;
  throw Error(profile.path.string() + ": profile of another model: it has " +
              std::to_string(found) + " of the " + std::to_string(expected) +
              (products ? " convolutions and matrix products of " : " measured layers of ") +
              title(graph) + "; profile that model again");
}

}  // namespace

bool is_of(const Profile& profile, const Graph& graph) {
  return profile.model == graph.model &&
         (!profile.batch || !graph.batch || *profile.batch == *graph.batch);
}

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
  check("precision", profile.precision, std::string(to_string(precision)));
  for (const auto& [backend, system] : systems) {
    const auto threads = system.find("threads");
    if (profile.threads && threads != system.end()) {
      check("threads", std::to_string(*profile.threads), threads->second);
    }
    const auto processor = system.find("cpu_model");
    if (!profile.device.empty() && processor != system.end()) {
      check("processor", profile.device, processor->second);
    }
  }
  return sentences;
}

Comparison compare(const Graph& graph, const std::vector<LayerTime>& times, const Bounds& bounds,
                   Movement movement, const Profile& profile) {
  Comparison comparison{.profile = &profile, .mapping = map_layers(graph, profile.nodes)};
  require_same_model(graph, comparison.mapping, profile);
  comparison.latency_seconds = median(profile.latency_seconds);
  comparison.latency_spread = median_interval(profile.latency_seconds);
  comparison.sequential_ratio = bounds.sequential.seconds / comparison.latency_seconds;
  comparison.parallel_ratio = bounds.parallel.seconds / comparison.latency_seconds;

  const std::vector<double> counted = counted_seconds(times, movement);
  for (std::size_t node = 0; node < profile.nodes.size(); ++node) {
    const std::vector<std::size_t>& layers = comparison.mapping.layers_of_node[node];
    const double seconds = profile.nodes[node].seconds;
    comparison.operator_seconds += seconds;
    if (layers.empty()) comparison.extra_nodes.push_back(node);
    Loss loss{.node = node};
    bool known = true;
    for (const std::size_t layer : layers) {
      loss.bound_seconds += counted[layer];
      known = known && times[layer].standing != Standing::missing &&
              times[layer].standing != Standing::unsupported;
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

}  // namespace benanza
