#include "analysis/model/layer_time.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "analysis/model/algorithms.h"
#include "analysis/model/selection.h"

namespace benanza::analysis {
namespace {

/// One way to do a layer: calls that run one after the other.
struct Way {
  std::string fusion;
  std::vector<std::string> keys;
  bool keeps_residual = false;
};

/// `fusions` are those of this layer alone.
std::vector<Way> ways_of(const Layer& layer, const std::vector<const Fusion*>& fusions,
                         const MeasurementFilter& filter) {
  std::vector<Way> ways;
  if (!layer.problems.empty()) ways.push_back({.fusion = "", .keys = layer.problems});
  if (!filter.inner_moves) {
    for (std::size_t move = layer.inner_moves.size(); move-- > 0;) {
      const auto place = static_cast<std::ptrdiff_t>(layer.inner_moves[move]);
      ways.front().keys.erase(ways.front().keys.begin() + place);
    }
  }
  for (const Fusion* fusion : fusions) {
    if (!filter.fused_calls && !fusion->whole) continue;
    ways.push_back({.fusion = fusion->pattern,
                    .keys = problems_of(*fusion),
                    .keeps_residual = fusion->keeps_residual});
  }
  return ways;
}

/// Returns the fastest complete way, with each problem at its `precision`; the status is measured,
/// unsupported or missing. Calls that are unsupported there are taken at `otherwise`.
LayerTime solve(const std::vector<Way>& ways, const MeasurementSet& measurements,
                MeasurementFilter filter,
                const std::function<Precision(const std::string&)>& precision,
                std::optional<Precision> otherwise = {}) {
  const bool overwrites_residual = filter.overwrites_residual;
  LayerTime best{.status = LayerStatus::unsupported};
  std::string refusal;
  for (const Way& way : ways) {
    LayerTime time{.status = LayerStatus::measured, .seconds = 0, .fusion = way.fusion};
    bool impossible = false;
    filter.overwrites_residual = overwrites_residual && !way.keeps_residual;
    for (const std::string& key : way.keys) {
      Precision at = precision(key);
      Selected call = select_measurement(key, measurements, filter, at);
      if (call.best == nullptr && call.unsupported && otherwise) {
        at = *otherwise;
        call = select_measurement(key, measurements, filter, at);
      }
      if (call.best != nullptr) {
        time.calls.push_back(call.best);
        *time.seconds += call.best->seconds();
        time.luck_seconds += call.luck_seconds;
      } else if (call.unsupported) {
        impossible = true;
        if (refusal.empty()) refusal = call.reason;
      } else {
        time.gaps.push_back({key, call.reason + " at " + std::string(to_string(at))});
      }
    }
    if (impossible) continue;
    if (!time.gaps.empty()) {
      if (best.status == LayerStatus::measured) continue;
      best.status = LayerStatus::missing;
      best.gaps.insert(best.gaps.end(), time.gaps.begin(), time.gaps.end());
    } else if (best.status != LayerStatus::measured || *time.seconds < *best.seconds) {
      best = std::move(time);
    }
  }
  if (best.status == LayerStatus::unsupported && !refusal.empty()) best.note = ": " + refusal;
  return best;
}

bool is_single(Precision precision) {
  return element_bytes(precision) == element_bytes(Precision::fp32);
}

LayerTime layer_time(const Layer& layer, const std::vector<const Fusion*>& fusions,
                     const MeasurementSet& measurements, const MeasurementFilter& filter) {
  if (layer.cost == Cost::free) {
    return {.status = LayerStatus::free, .seconds = 0, .note = layer.reason};
  }
  if (layer.cost == Cost::unsupported) {
    return {.status = LayerStatus::unsupported, .note = layer.reason};
  }
  if (layer.precision == "cast" && is_single(filter.precision)) {
    return {.status = LayerStatus::free, .seconds = 0, .note = "everything is in fp32 already"};
  }
  const std::vector<Way> ways = ways_of(layer, fusions, filter);
  if (ways.empty()) {
    return {.status = LayerStatus::movement, .note = "has no benchmark: " + layer.reason};
  }
  const Precision precision = precision_of(layer, filter.precision);
  const auto own = [&](const std::string& key) {
    return precision_of(layer, key, filter.precision);
  };
  LayerTime time = solve(ways, measurements, filter, own);
  if (time.status == LayerStatus::unsupported) {
    time.note = "unsupported at " + std::string(to_string(precision)) + time.note;
  }
  if (time.status == LayerStatus::unsupported && filter.fallback && *filter.fallback != precision) {
    const std::string note = std::move(time.note);
    time = solve(ways, measurements, filter, [&](const std::string&) { return *filter.fallback; });
    // A layer of several calls may have some of them at its own precision.
    LayerTime mixed = solve(ways, measurements, filter, own, filter.fallback);
    if (mixed.status == LayerStatus::measured &&
        (time.status != LayerStatus::measured || *mixed.seconds < *time.seconds)) {
      time = std::move(mixed);
    }
    const bool found = time.status == LayerStatus::measured;
    time.note =
        note + (found ? "; counted at " + std::string(to_string(*filter.fallback))
                      : "; at " + std::string(to_string(*filter.fallback)) + " " +
                            (time.status == LayerStatus::missing ? "not measured" : "unsupported"));
  }
  if (time.status != LayerStatus::missing && layer.cost == Cost::movement) {
    time.status = LayerStatus::movement;
  }
  return time;
}

}  // namespace

std::string_view to_string(LayerStatus status) {
  constexpr std::string_view names[] = {"measured", "part",        "movement",
                                        "free",     "unsupported", "missing"};
  return names[static_cast<std::size_t>(status)];
}

Precision precision_of(const Layer& layer, Precision asked) {
  const std::optional<Precision> own = parse_precision(layer.precision);  // none for "cast"
  return !own || (is_single(*own) && is_single(asked)) ? asked : *own;
}

Precision precision_of(const Layer& layer, const std::string& key, Precision asked) {
  return stored_precision(layer) && !stored_precision(layer, key) ? asked
                                                                  : precision_of(layer, asked);
}

std::vector<LayerTime> layer_times(const Graph& graph, const MeasurementSet& measurements,
                                   const MeasurementFilter& filter) {
  std::vector<LayerTime> times;
  times.reserve(graph.layers.size());
  const std::vector<std::vector<const Fusion*>> fusions = fusions_of_one_layer(graph);
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    times.push_back(layer_time(graph.layers[layer], fusions[layer], measurements, filter));
  }
  return times;
}

bool lacks_time(const LayerTime& time, Movement movement) {
  if (time.status == LayerStatus::movement) {
    return movement == Movement::include && !time.seconds;
  }
  return time.status == LayerStatus::unsupported || time.status == LayerStatus::missing;
}

bool is_partial(const std::vector<LayerTime>& times, Movement movement) {
  return std::ranges::any_of(times,
                             [=](const LayerTime& time) { return lacks_time(time, movement); });
}

Assumed assumed(const Graph& graph, const std::vector<double>& counted) {
  Assumed sum;
  for (std::size_t index = 0; index < graph.layers.size(); ++index) {
    const Layer& layer = graph.layers[index];
    if (layer.assumed.empty() || counted[index] <= 0) continue;
    if (sum.layers++ == 0) sum.first = layer.assumed;
    sum.seconds += counted[index];
  }
  return sum;
}

void ReferenceCode::add(const Measurement& call, const std::string& layer) {
  ++all_calls;
  if (unpacks_weights(call.variant.algorithm)) {
    ++unpacked_calls;
    unpacked_seconds += call.seconds();
  }
  if (!call.reference) return;
  ++calls;
  seconds += call.seconds();
  if (call.seconds() <= worst_seconds) return;
  worst_layer = layer;
  worst_seconds = call.seconds();
}

void ReferenceCode::add(const LayerTime& time, const std::string& layer) {
  for (const Measurement* const call : time.calls) add(*call, layer);
}

ReferenceCode reference_code(const Graph& graph, const std::vector<LayerTime>& times,
                             Movement movement) {
  ReferenceCode code;
  for (std::size_t layer = 0; layer < times.size(); ++layer) {
    if (times[layer].status == LayerStatus::movement && movement == Movement::exclude) continue;
    code.add(times[layer], graph.layers[layer].name);
  }
  return code;
}

Coverage coverage(const Graph& graph, const std::vector<LayerTime>& times, Precision precision) {
  Coverage coverage;
  for (std::size_t index = 0; index < graph.layers.size(); ++index) {
    const LayerTime& time = times[index];
    LayerCount& tally = coverage.counts[static_cast<std::size_t>(time.status)];
    ++tally.layers;
    // By definition, a free layer does no arithmetic at inference.
    const std::optional<double> flops =
        time.status == LayerStatus::free ? std::optional(0.0) : graph.layers[index].flops;
    tally.flops = tally.flops && flops ? std::optional(*tally.flops + *flops) : std::nullopt;
    const Layer& layer = graph.layers[index];
    const auto is_at_fallback = [&](const Measurement* call) {
      const VariantName& variant = call->variant;
      return variant.precision != precision_of(layer, variant.key, precision);
    };
    if (time.status == LayerStatus::measured && std::ranges::any_of(time.calls, is_at_fallback)) {
      ++coverage.at_fallback;
    }
  }
  return coverage;
}

}  // namespace benanza::analysis
