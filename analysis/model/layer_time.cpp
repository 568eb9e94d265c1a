#include "analysis/model/layer_time.h"

#include <utility>

#include "analysis/model/call.h"

namespace benanza::analysis {
namespace {

/// One way of doing a layer's work: calls, one after the other.
struct Way {
  std::string fusion;
  std::vector<std::string> keys;
};

std::vector<Way> ways_of(const Graph& graph, std::size_t layer, const Choice& choice) {
  std::vector<Way> ways;
  if (!graph.layers[layer].problems.empty()) {
    ways.push_back({.fusion = "", .keys = graph.layers[layer].problems});
  }
  if (!choice.fused_calls) return ways;
  for (const Fusion& fusion : graph.fusions) {
    if (fusion.layers == std::vector{layer}) {
      ways.push_back({.fusion = fusion.pattern, .keys = {fusion.problem}});
    }
  }
  return ways;
}

/// The fastest complete way at `precision`: standing measured, unsupported or missing.
LayerTime solve(const std::vector<Way>& ways, const MeasurementSet& measurements,
                const Choice& choice, Precision precision) {
  LayerTime best{.standing = Standing::unsupported};
  std::string refusal;
  for (const Way& way : ways) {
    LayerTime time{.standing = Standing::measured, .seconds = 0, .fusion = way.fusion};
    bool impossible = false;
    for (const std::string& key : way.keys) {
      const Answer call = answer(key, measurements, choice, precision);
      if (call.best != nullptr) {
        time.calls.push_back(call.best);
        *time.seconds += call.best->seconds();
      } else if (call.unsupported) {
        impossible = true;
        if (refusal.empty()) refusal = call.reason;
      } else {
        time.gaps.push_back({key, call.reason + " at " + std::string(to_string(precision))});
      }
    }
    if (impossible) continue;
    if (!time.gaps.empty()) {
      if (best.standing == Standing::measured) continue;
      best.standing = Standing::missing;
      best.gaps.insert(best.gaps.end(), time.gaps.begin(), time.gaps.end());
    } else if (best.standing != Standing::measured || *time.seconds < *best.seconds) {
      best = std::move(time);
    }
  }
  if (best.standing == Standing::unsupported) {
    best.note = "unsupported at " + std::string(to_string(precision));
    if (!refusal.empty()) best.note += ": " + refusal;
  }
  return best;
}

LayerTime layer_time(const Graph& graph, std::size_t index, const MeasurementSet& measurements,
                     const Choice& choice) {
  const Layer& layer = graph.layers[index];
  if (layer.cost == Cost::free) {
    return {.standing = Standing::free, .seconds = 0, .note = layer.reason};
  }
  if (layer.cost == Cost::unsupported) {
    return {.standing = Standing::unsupported, .note = layer.reason};
  }
  const std::vector<Way> ways = ways_of(graph, index, choice);
  if (ways.empty()) {
    return {.standing = Standing::movement, .note = "has no benchmark: " + layer.reason};
  }
  LayerTime time = solve(ways, measurements, choice, choice.precision);
  if (time.standing == Standing::unsupported && choice.fallback &&
      *choice.fallback != choice.precision) {
    const std::string note = std::move(time.note);
    time = solve(ways, measurements, choice, *choice.fallback);
    const bool found = time.standing == Standing::measured;
    time.note =
        note + (found ? "; counted at " + std::string(to_string(*choice.fallback))
                      : "; at " + std::string(to_string(*choice.fallback)) + " " +
                            (time.standing == Standing::missing ? "not measured" : "unsupported"));
  }
  if (time.standing == Standing::measured && layer.cost == Cost::movement) {
    time.standing = Standing::movement;
  }
  return time;
}

}  // namespace

std::string_view to_string(Standing standing) {
  switch (standing) {
    case Standing::measured:
      return "measured";
    case Standing::movement:
      return "movement";
    case Standing::free:
      return "free";
    case Standing::unsupported:
      return "unsupported";
    case Standing::missing:
      return "missing";
  }
  return "";
}

std::vector<LayerTime> layer_times(const Graph& graph, const MeasurementSet& measurements,
                                   const Choice& choice) {
  std::vector<LayerTime> times;
  times.reserve(graph.layers.size());
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    times.push_back(layer_time(graph, layer, measurements, choice));
  }
  return times;
}

}  // namespace benanza::analysis
