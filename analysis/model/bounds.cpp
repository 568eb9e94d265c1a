#include "analysis/model/bounds.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

namespace benanza::analysis {
namespace {

/// Calls `use` with the calls of these layers, each once for every layer that has it.
template <class Use>
void for_each_call(const std::vector<LayerTime>& times, std::span<const std::size_t> layers,
                   Movement movement, const Use& use) {
  for (const std::size_t layer : layers) {
    if (!is_counted(times[layer], movement)) continue;
    for (const Measurement* call : times[layer].calls) use(layer, *call);
  }
}

/// The spread of the sum over these layers' calls; no seconds.
Bound bound_over(const std::vector<LayerTime>& times, std::span<const std::size_t> layers,
                 Movement movement) {
  CallSum sum;
  for_each_call(times, layers, movement,
                [&](std::size_t, const Measurement& call) { sum.add(call); });
  Spread spread = sum.spread();
  if (spread.interval) {
    for (const std::size_t layer : layers) {
      if (is_counted(times[layer], movement)) spread.interval->high += times[layer].luck_seconds;
    }
  }
  return {.spread = spread.interval, .processes = spread.processes};
}

/// A call's values by process, or by repetition if its process does not matter.
std::vector<ProcessValue> values_of(const Measurement& call, bool by_repetition) {
  if (!by_repetition) return call.process_seconds();
  std::vector<ProcessValue> values;
  for (const double seconds : call.repetition_seconds) {
    values.push_back({static_cast<std::int64_t>(values.size()), seconds});
  }
  return values;
}

/// The values of all layers, to leave one process (or repetition) out.
class LeftOut {
 public:
  LeftOut(const std::vector<LayerTime>& times, std::span<const std::size_t> layers,
          Movement movement, bool by_repetition)
      : layer_count_(times.size()), by_repetition_(by_repetition) {
    for_each_call(times, layers, movement, [&](std::size_t layer, const Measurement& call) {
      calls_.push_back({layer, call.seconds(), values_of(call, by_repetition)});
    });
  }

  /// Those that any call has.
  std::set<std::int64_t> processes() const {
    std::set<std::int64_t> all;
    for (const Call& call : calls_) {
      for (const ProcessValue& one : call.values) all.insert(one.process);
    }
    return all;
  }
  /// The layers' times by the others. A call that only this one measured keeps its time.
  std::vector<double> seconds_without(std::int64_t process) const {
    std::vector<double> seconds(layer_count_);
    for (const Call& call : calls_) {
      std::vector<ProcessValue> others = call.values;
      std::erase_if(others, [&](const ProcessValue& one) { return one.process == process; });
      seconds[call.layer] += others.empty() ? call.seconds : mean_of(others);
    }
    return seconds;
  }
  /// What Measurement::seconds() is of these values.
  double mean_of(const std::vector<ProcessValue>& values) const {
    if (!by_repetition_) return mean_over_processes(values);
    std::vector<double> plain;
    for (const ProcessValue& one : values) plain.push_back(one.value);
    return trimmed_mean(plain);
  }
  /// The layers' times in this one. A call that it did not measure keeps its time.
  std::vector<double> seconds_in(std::int64_t process) const {
    std::vector<double> seconds(layer_count_);
    for (const Call& call : calls_) {
      const auto own = std::ranges::find(call.values, process, &ProcessValue::process);
      seconds[call.layer] += own == call.values.end() ? call.seconds : own->value;
    }
    return seconds;
  }

 private:
  struct Call {
    std::size_t layer = 0;
    double seconds = 0;
    std::vector<ProcessValue> values;
  };
  std::size_t layer_count_;
  bool by_repetition_;
  std::vector<Call> calls_;
};

Bound parallel_bound(const Graph& graph, const std::vector<LayerTime>& times,
                     const std::vector<std::size_t>& order, const CriticalPath& path,
                     Movement movement) {
  Bound bound = bound_over(times, path.layers, movement);
  bound.seconds = path.seconds;
  if (!bound.spread) return bound;
  const LeftOut left_out(times, order, movement, bound.processes < 2);
  std::vector<ProcessValue> validated;
  bool same = true;
  for (const std::int64_t process : left_out.processes()) {
    const CriticalPath chosen =
        critical_path(graph.layers, order, left_out.seconds_without(process));
    same = same && chosen.layers == path.layers;
    const std::vector<double> seconds = left_out.seconds_in(process);
    double sum = 0;
    for (const std::size_t layer : chosen.layers) sum += seconds[layer];
    validated.push_back({process, sum});
  }
  if (same || validated.size() < 2) return bound;
  const double value = left_out.mean_of(validated);
  ProcessSum sum;
  sum.add(value, std::move(validated));
  // By chance the other paths' error may come out too small, too.
  const double as_the_path = value * bound.spread->low / bound.seconds;
  bound.spread->low =
      std::min({bound.spread->low, as_the_path, time_interval(*sum.estimate()).low});
  return bound;
}

/// Returns true if the layer takes time in the bound, by itself or as part of a shared call.
bool has_time_in(const LayerTime& time, Movement movement) {
  // A part that would not count by itself (Movement) is no reason to leave out the shared call.
  const bool is_part = time.status == LayerStatus::part && time.alone_seconds != 0.0;
  return is_part || is_counted(time, movement);
}

/// Joules of all calls of a layer; empty if one is unknown, or the time is an estimate.
std::optional<double> joules_of(const LayerTime& time) {
  if (time.calls.empty() && time.seconds.value_or(0) > 0) return std::nullopt;
  double sum = 0;
  for (const Measurement* const call : time.calls) {
    if (!call->joules) return std::nullopt;
    sum += *call->joules;
  }
  return sum;
}

/// A tensor by the layer that wrote it, and its precision.
using Tensor = std::pair<std::size_t, Precision>;

bool computes(const LayerTime& time) {
  return time.status == LayerStatus::measured && !time.calls.empty();
}

std::optional<double> elements_of(const Layer& layer) {
  if (layer.outputs.empty() || !layer.outputs.front().shape) return std::nullopt;
  double elements = 1;
  for (const std::int64_t extent : *layer.outputs.front().shape) {
    elements *= static_cast<double>(extent);
  }
  return elements;
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
  Bound sequential = bound_over(times, order, movement);
  sequential.seconds = sequential_seconds(seconds);
  return {.sequential = sequential,
          .parallel = parallel_bound(graph, times, order, path, movement),
          .path = path.layers};
}

ModelEnergy energy_of(const std::vector<LayerTime>& times, Movement movement) {
  ModelEnergy energy;
  for (std::size_t layer = 0; layer < times.size(); ++layer) {
    if (!is_counted(times[layer], movement)) continue;
    energy.seconds += *times[layer].seconds;
    const auto joules = joules_of(times[layer]);
    if (!joules) continue;
    energy.layers.push_back({layer, *joules});
    energy.joules += *joules;
    energy.known_seconds += *times[layer].seconds;
  }
  std::ranges::stable_sort(energy.layers, std::ranges::greater{}, &LayerEnergy::joules);
  return energy;
}

std::optional<double> ModelEnergy::complete_joules() const {
  return !layers.empty() && known_seconds == seconds ? std::optional(joules) : std::nullopt;
}

Conversions conversions(const Graph& graph, const std::vector<LayerTime>& times) {
  // What each layer's readers find: its own tensor, or those that it passes on.
  std::vector<std::set<Tensor>> found(times.size());
  std::set<std::pair<Tensor, Precision>> converted;
  Conversions sum;
  for (std::size_t layer = 0; layer < times.size(); ++layer) {
    std::set<Tensor> read;
    for (const std::size_t input : graph.layers[layer].inputs) {
      read.insert(found[input].begin(), found[input].end());
    }
    if (!computes(times[layer])) {
      found[layer] = std::move(read);
      continue;
    }
    const Precision precision = times[layer].calls.front()->variant.precision;
    found[layer] = {{layer, precision}};
    for (const Tensor& tensor : read) {
      if (tensor.second == precision || !converted.emplace(tensor, precision).second) continue;
      ++sum.tensors;
      const auto elements = elements_of(graph.layers[tensor.first]);
      const auto bytes =
          static_cast<double>(element_bytes(tensor.second) + element_bytes(precision));
      sum.bytes =
          sum.bytes && elements ? std::optional(*sum.bytes + *elements * bytes) : std::nullopt;
    }
  }
  return sum;
}

}  // namespace benanza::analysis
