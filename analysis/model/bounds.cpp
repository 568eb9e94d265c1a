#include "analysis/model/bounds.h"

#include <algorithm>
#include <span>

namespace benanza::analysis {
namespace {

/// Interval of the sum over these layers' calls. A call is added once for each layer that has it.
std::optional<Interval> spread_of(const std::vector<LayerTime>& times,
                                  std::span<const std::size_t> layers, Movement movement) {
  RepetitionSum sum;
  for (const std::size_t layer : layers) {
    if (!is_counted(times[layer], movement)) continue;
    for (const Measurement* call : times[layer].calls) sum.add(call->repetition_seconds);
  }
  const auto estimate = sum.estimate();
  return estimate ? std::optional(estimate->interval()) : std::nullopt;
}

/// Returns the smallest number of repetitions of any counted call.
std::size_t common_repetitions(const std::vector<LayerTime>& times, Movement movement) {
  std::size_t count = 0;
  bool any = false;
  for (const LayerTime& time : times) {
    if (!is_counted(time, movement)) continue;
    for (const Measurement* call : time.calls) {
      count =
          any ? std::min(count, call->repetition_seconds.size()) : call->repetition_seconds.size();
      any = true;
    }
  }
  return count;
}

/// Like counted_seconds(), without one repetition.
std::vector<double> seconds_without(const std::vector<LayerTime>& times, std::size_t repetition,
                                    Movement movement) {
  std::vector<double> seconds(times.size());
  for (std::size_t layer = 0; layer < times.size(); ++layer) {
    if (!is_counted(times[layer], movement)) continue;
    for (const Measurement* call : times[layer].calls) {
      std::vector<double> others = call->repetition_seconds;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(repetition));
      seconds[layer] += trimmed_mean(others);
    }
  }
  return seconds;
}

/// Returns the total time of `layers` in one repetition.
double repetition_seconds(const std::vector<LayerTime>& times, std::span<const std::size_t> layers,
                          std::size_t repetition, Movement movement) {
  double seconds = 0;
  for (const std::size_t layer : layers) {
    if (!is_counted(times[layer], movement)) continue;
    for (const Measurement* call : times[layer].calls) {
      seconds += call->repetition_seconds[repetition];
    }
  }
  return seconds;
}

std::optional<Interval> parallel_spread(const Graph& graph, const std::vector<LayerTime>& times,
                                        const std::vector<std::size_t>& order,
                                        const CriticalPath& path, Movement movement) {
  std::optional<Interval> spread = spread_of(times, path.layers, movement);
  const std::size_t count = common_repetitions(times, movement);
  if (!spread || count < least_repetitions) return std::nullopt;
  std::vector<double> validated;
  bool same = true;
  for (std::size_t repetition = 0; repetition < count; ++repetition) {
    const CriticalPath chosen =
        critical_path(graph.layers, order, seconds_without(times, repetition, movement));
    same = same && chosen.layers == path.layers;
    validated.push_back(repetition_seconds(times, chosen.layers, repetition, movement));
  }
  if (same) return spread;
  RepetitionSum sum;
  sum.add(validated);
  spread->low = std::min(spread->low, sum.estimate()->interval().low);
  return spread;
}

/// Returns true if the layer takes time in the bound, by itself or as part of a shared call.
bool has_time_in(const LayerTime& time, Movement movement) {
  // A part that would not count by itself (Movement) is no reason to leave out the shared call.
  const bool is_part = time.status == LayerStatus::part && time.alone_seconds != 0.0;
  return is_part || is_counted(time, movement);
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

std::vector<std::size_t> one_sided_layers(std::span<const std::vector<LayerTime>> alternatives,
                                          Movement movement) {
  const std::size_t count = alternatives.front().size();
  std::vector<bool> one_sided(count);
  for (std::size_t layer = 0; layer < count; ++layer) {
    const auto any = [&](auto holds) {
      return std::ranges::any_of(alternatives, [&](const std::vector<LayerTime>& times) {
        return holds(times[layer], movement);
      });
    };
    one_sided[layer] = any(has_time_in) && any(lacks_time);
  }
  // A call cannot be left out in part: leave out all of its layers.
  for (bool more = true; more;) {
    more = false;
    for (const std::vector<LayerTime>& times : alternatives) {
      for (const LayerTime& time : times) {
        const auto is_out = [&](std::size_t layer) { return one_sided[layer]; };
        if (std::ranges::none_of(time.does, is_out)) continue;
        for (const std::size_t layer : time.does) {
          more = more || !one_sided[layer];
          one_sided[layer] = true;
        }
      }
    }
  }
  std::vector<std::size_t> layers;
  for (std::size_t layer = 0; layer < count; ++layer) {
    if (one_sided[layer]) layers.push_back(layer);
  }
  return layers;
}

void leave_out(std::vector<LayerTime>& times, const std::vector<std::size_t>& layers) {
  for (const std::size_t layer : layers) {
    times[layer] = {.status = LayerStatus::unsupported,
                    .note = "no time in one of the bounds that are compared",
                    .gaps = times[layer].gaps};
  }
}

Bounds bounds(const Graph& graph, const std::vector<LayerTime>& times, Movement movement) {
  const std::vector<double> seconds = counted_seconds(times, movement);
  const std::vector<std::size_t> order = topological_order(graph.layers);
  const CriticalPath path = critical_path(graph.layers, order, seconds);
  return {.sequential = {.seconds = sequential_seconds(seconds),
                         .spread = spread_of(times, order, movement)},
          .parallel = {.seconds = path.seconds,
                       .spread = parallel_spread(graph, times, order, path, movement)},
          .path = path.layers};
}

}  // namespace benanza::analysis
