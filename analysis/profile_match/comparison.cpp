#include "analysis/profile_match/comparison.h"

#include <algorithm>
#include <utility>

#include "analysis/model/whole.h"
#include "analysis/profile_match/same_model.h"
#include "core/statistics/repetitions.h"
#include "core/statistics/summary.h"

namespace benanza::analysis {
namespace {

Interval scaled(const Interval& interval, double low, double high) {
  return {interval.low * low, interval.high * high};
}

/// The bound of some layers with its range: that of the repetitions of their calls, if known.
Interval range_of_bound(double seconds, const std::vector<std::size_t>& layers,
                        const std::vector<LayerTime>& times) {
  RepetitionSum sum;
  for (const std::size_t layer : layers) {
    for (const Measurement* call : times[layer].calls) sum.add(call->repetition_seconds);
  }
  const auto estimate = sum.estimate();
  if (!estimate || estimate->value <= 0) return {seconds, seconds};
  const Interval interval = estimate->interval();
  return {seconds * interval.low / estimate->value, seconds * interval.high / estimate->value};
}

/// The factor on the operators' times, and its range: that of the latency.
struct Scale {
  double factor = 1;
  Interval range{1, 1};
};

Scale scale_of(double profiled_seconds, const ModelLatency* latency) {
  if (latency == nullptr || profiled_seconds <= 0) return {};
  const auto factor = [&](double seconds) { return seconds / profiled_seconds; };
  Scale scale{.factor = std::min(1.0, factor(latency->seconds))};
  const Interval spread = latency->spread.value_or(Interval{latency->seconds, latency->seconds});
  // Times that are not scaled vary as the latency does, too.
  const double to_one = scale.factor / factor(latency->seconds);
  scale.range = {factor(spread.low) * to_one, factor(spread.high) * to_one};
  return scale;
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

Losses losses_of(const Profile& profile, const Mapping& mapping,
                 const std::vector<LayerTime>& times, const ModelLatency* latency) {
  Losses losses;
  for (const ProfiledNode& node : profile.nodes) losses.operator_seconds += node.seconds;
  losses.profiled_seconds =
      std::min(losses.operator_seconds, profile.traced_seconds.value_or(losses.operator_seconds));
  const Scale scale = scale_of(losses.profiled_seconds, latency);
  losses.factor = scale.factor;
  const std::vector<double> counted = shared_seconds(times, Movement::include);
  for (std::size_t index = 0; index < profile.nodes.size(); ++index) {
    const ProfiledNode& node = profile.nodes[index];
    const std::vector<std::size_t>& layers = mapping.layers_of_node[index];
    if (std::ranges::any_of(layers, [&](std::size_t layer) {
          return lacks_time(times[layer], Movement::include);
        })) {
      losses.unknown.push_back(index);
      continue;
    }
    Loss loss{.node = index, .seconds = node.seconds * scale.factor};
    for (const std::size_t layer : layers) loss.bound_seconds += counted[layer];
    loss.lost_seconds = loss.seconds - loss.bound_seconds;
    const Interval ran = scaled(node.range.value_or(Interval{node.seconds, node.seconds}),
                                scale.range.low, scale.range.high);
    const Interval bound = range_of_bound(loss.bound_seconds, layers, times);
    loss.range = {ran.low - bound.high, ran.high - bound.low};
    loss.within_noise = ran.low <= bound.high && bound.low <= ran.high;
    losses.list.push_back(loss);
  }
  std::ranges::stable_sort(losses.list, std::ranges::greater{}, &Loss::lost_seconds);
  return losses;
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
                   const Profile& read) {
  Comparison comparison{.profile = std::make_shared<const Profile>(one_run(read, graph))};
  const Profile& profile = *comparison.profile;
  comparison.mapping = map_layers(graph, profile.nodes);
  require_same_model(graph, comparison.mapping, profile);
  comparison.warnings = other_shapes(graph, comparison.mapping);
  const auto ratios = [&](double seconds) {
    return Ratios{.sequential = bounds.sequential.seconds / seconds,
                  .parallel = bounds.parallel.seconds / seconds};
  };
  const auto latency_of = [&](double seconds, std::optional<ModelLatency> measured) {
    const Ratios own = ratios(seconds);
    Latency latency{.seconds = seconds,
                    .sequential_ratio = own.sequential,
                    .parallel_ratio = own.parallel,
                    .measured = std::move(measured)};
    if (latency.measured && latency.measured->has_two_modes()) {
      latency.slower = ratios(median(latency.measured->groups->high));
    }
    return latency;
  };
  const std::optional<ModelLatency> measured = model_latency(profile);
  if (measured) comparison.latency = latency_of(measured->seconds, measured);
  if (const auto as_graph = graph_latency(profile)) {
    comparison.graph_latency = latency_of(as_graph->seconds, as_graph);
  }
  if (profile.timeline) {
    comparison.busy = latency_of(profile.timeline->busy_seconds, std::nullopt);
  }
  comparison.losses =
      losses_of(profile, comparison.mapping, times, measured ? &*measured : nullptr);
  for (std::size_t node = 0; node < profile.nodes.size(); ++node) {
    if (comparison.mapping.layers_of_node[node].empty()) comparison.extra_nodes.push_back(node);
  }
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    const bool has_work = graph.layers[layer].cost != Cost::free;
    if (has_work && !comparison.mapping.named[layer]) comparison.absent_layers.push_back(layer);
  }
  return comparison;
}

}  // namespace benanza::analysis
