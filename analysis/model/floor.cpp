#include "analysis/model/floor.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "analysis/model/device_rates.h"
#include "core/problem/text.h"

namespace benanza::analysis {
namespace {

double number(std::int64_t value) { return static_cast<double>(value); }

/// Substrings of ONNX operator names and of those of the problem tables.
constexpr std::string_view product_ops[] = {"Conv",  "Gemm", "MatMul",      "Einsum", "Attention",
                                            "LSTM",  "GRU",  "RNN",         "MoE",    ".conv",
                                            ".gemm", ".rnn", ".sparse_gemm"};

/// Returns true if the operator itself consists of products, so that no way around them is known.
bool asks_for_products(const Layer& layer) {
  if (layer.op.find("LinearAttention") != std::string::npos) return false;
  return std::ranges::any_of(
      product_ops, [&](std::string_view op) { return layer.op.find(op) != std::string::npos; });
}

/// Whether products compute the operator with a matrix of their own, which is no input of it.
bool brings_its_matrix(const Layer& layer) {
  constexpr std::string_view ops[] = {
      "DFT", "STFT", "com.microsoft.Rfft", "com.microsoft.Irfft", "Resize", "Upsample"};
  return std::ranges::find(ops, layer.op) != std::end(ops);
}

std::optional<Problem> parsed(const std::string& key) {
  try {
    return parse(key);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

double flops_of(const std::string& key) {
  const auto problem = parsed(key);
  return problem ? least_flops(*problem) : 0;
}

/// At which the layer's arithmetic may be done: int8 if its data may be rounded to that.
Precision arithmetic_precision(const Layer& layer, Precision asked) {
  const auto rounds_data = [](const std::string& key) {
    const auto problem = parsed(key);
    return problem && problem->packed && problem->packed->rounds_data;
  };
  return std::ranges::any_of(layer.problems, rounds_data) ? Precision::int8
                                                          : precision_of(layer, asked);
}

/// Returns the least FLOPs over the layer's ways, of one call or several.
double layer_flops(const Layer& layer, const std::vector<const Fusion*>& fusions) {
  if (layer.cost != Cost::measured || !asks_for_products(layer)) return 0;
  const auto all = [](const std::vector<std::string>& keys) {
    double flops = 0;
    for (const std::string& key : keys) flops += flops_of(key);
    return flops;
  };
  double least = all(layer.problems);
  for (const Fusion* fusion : fusions) {
    if (parsed(fusion->problem)) least = std::min(least, all(problems_of(*fusion)));
  }
  return least;
}

/// Bytes of the layer's first result, the only one known to be needed; 0 if unknown.
double result_bytes(const Layer& layer, Precision precision) {
  if (layer.outputs.empty() || !layer.outputs.front().shape) return 0;
  const Output& output = layer.outputs.front();
  if (output.type != "float" && output.type != "float16" && output.type != "bfloat16") return 0;
  double elements = 1;
  for (const std::int64_t extent : *output.shape) elements *= number(extent);
  return elements * number(element_bytes(precision));
}

double bytes_at(const Traffic& traffic, Precision precision) {
  return number(traffic.bytes_at(element_bytes(precision)));
}

Moved moved_by(const Compulsory& compulsory, Precision precision, bool updates) {
  const double weights = bytes_at(compulsory.weights, precision);
  const double outputs = bytes_at(compulsory.outputs, precision);
  return {.read = bytes_at(compulsory.inputs, precision) + weights,
          .written = outputs,
          .in_place = updates ? std::min(weights, outputs) : 0};
}

double constant_bytes(const Problem& problem, Precision precision) {
  const std::int64_t size = element_bytes(precision);
  // What else is constant is small.
  if (problem.packed) return number(packed_bytes(problem, size));
  double elements = 0;
  for (const Operand& operand : inputs(problem)) {
    if (operand.role == Role::weights) elements += number(element_count(operand.dims));
  }
  return elements * number(size);
}

/// What rotates when the call is timed with weights from memory: weights and caches.
double rotating_bytes(const Problem& problem, Precision precision) {
  double elements = 0;
  for (const Operand& operand : inputs(problem)) {
    if (operand.role == Role::cache) elements += number(element_count(operand.dims));
  }
  return constant_bytes(problem, precision) + elements * number(element_bytes(precision));
}

Moved moved_by(const Layer& layer, const Problem& problem, Precision precision, bool from_memory) {
  const double read = least_read_bytes(problem, precision);
  const double matrix = brings_its_matrix(layer) ? constant_bytes(problem, precision) : 0;
  Moved moved{.read = read - matrix,
              .written = least_bytes(problem, precision) - read,
              .in_place = in_place_bytes(problem, precision)};
  if (from_memory && is_product(problem) && matrix == 0 && moved.in_place == 0) {
    moved.rotating = std::min(moved.read, rotating_bytes(problem, precision));
  }
  return moved;
}

bool updates_weights(const Layer& layer) { return layer.phase == "update"; }

/// Of several calls, each timed by itself: what they read that none of them makes, constants and
/// caches; equal problems once, since they may read the same ones.
Floor floor_of_calls(const Layer& layer, const std::vector<std::string>& keys, Precision precision,
                     const DeviceRates& rates, bool cold, bool from_memory) {
  Floor sum{.moved = Moved{}};
  for (const std::string& key : std::set<std::string>(keys.begin(), keys.end())) {
    const auto problem = parsed(key);
    if (!problem) continue;
    const double matrix = brings_its_matrix(layer) ? constant_bytes(*problem, precision) : 0;
    const double bytes = rotating_bytes(*problem, precision) - matrix;
    const bool rotates = from_memory && is_product(*problem) && matrix == 0;
    const Moved moved{.read = bytes, .rotating = rotates ? bytes : 0};
    const Floor floor = floor_of(0, moved, rates, cold);
    sum.moved->read += moved.read;
    sum.moved->rotating += moved.rotating;
    if (floor.memory_seconds) {
      sum.memory_seconds = sum.memory_seconds.value_or(0) + *floor.memory_seconds;
    }
  }
  return sum;
}

/// How a layer can be done.
struct Ways {
  /// In one call.
  std::vector<std::string> one{};
  std::vector<std::vector<std::string>> several{};

  void add(const std::vector<std::string>& keys) {
    if (keys.size() == 1) one.push_back(keys.front());
    if (keys.size() > 1) several.push_back(keys);
  }
};

Ways ways_of(const Layer& layer, const std::vector<const Fusion*>& fusions) {
  Ways ways;
  ways.add(layer.problems);
  for (const Fusion* fusion : fusions) ways.add(problems_of(*fusion));
  return ways;
}

Floor layer_floor(const Graph& graph, std::size_t layer, double flops, const Ways& ways,
                  const DeviceRates& of_run, const MeasurementFilter& filter, bool from_memory) {
  const Layer& described = graph.layers[layer];
  const Precision precision = precision_of(described, filter.precision);
  const DeviceRates rates =
      rates_of_layer(of_run, arithmetic_precision(described, filter.precision), filter.precision);
  std::optional<Floor> least;
  for (const std::string& key : ways.one) {
    const auto problem = parsed(key);
    if (!problem) return floor_of(flops, {}, rates, filter.cold);
    const Floor floor =
        floor_of(flops, moved_by(described, *problem, precision, from_memory), rates, filter.cold);
    const bool is_less = !least || floor.memory_seconds < least->memory_seconds ||
                         (floor.memory_seconds == least->memory_seconds &&
                          floor.moved->bytes() < least->moved->bytes());
    if (is_less) least = floor;
  }
  if (least) return *least;
  const auto& known = described.compulsory;
  const Moved moved = known ? moved_by(*known, precision, updates_weights(described))
                            : Moved{.written = result_bytes(described, precision)};
  Floor floor = floor_of(flops, moved, rates, filter.cold);
  if (known) return floor;
  for (const std::vector<std::string>& keys : ways.several) {
    const Floor calls = floor_of_calls(described, keys, precision, rates, filter.cold, from_memory);
    if (!least || calls.moved->read < least->moved->read) least = calls;
  }
  if (!least || least->memory_seconds.value_or(0) <= floor.memory_seconds.value_or(0)) return floor;
  floor.moved->read = least->moved->read;
  floor.moved->rotating = least->moved->rotating;
  floor.memory_seconds = least->memory_seconds;
  return floor;
}

}  // namespace

std::optional<double> Floor::seconds() const {
  if (!arithmetic_seconds) return memory_seconds;
  if (!memory_seconds) return arithmetic_seconds;
  return std::max(*arithmetic_seconds, *memory_seconds);
}

Floor floor_of(double flops, const Moved& moved, const DeviceRates& rates, bool cold) {
  Floor floor{.flops = flops, .moved = moved};
  if (rates.flops_per_second) floor.arithmetic_seconds = flops / *rates.flops_per_second;
  if (!rates.bytes_per_second || !rates.cache_bytes) return floor;
  const double cache = *rates.cache_bytes;
  double beyond = moved.read + std::max(0.0, moved.written - cache);
  if (!cold) {
    // What is in place first: the same byte of the cache saves twice as much there.
    const double kept = std::min(cache, moved.in_place);
    const double once = moved.bytes() - moved.rotating - 2 * moved.in_place;
    beyond = moved.rotating - std::min(moved.rotating, cache) / 2 + 2 * (moved.in_place - kept) +
             std::max(0.0, once - (cache - kept));
  }
  floor.memory_seconds = beyond / *rates.bytes_per_second;
  return floor;
}

namespace {

/// The arithmetic of all layers, each at the rate of its precision, and the compulsory traffic.
Floor whole_floor(const Graph& graph, const std::map<Precision, double>& flops_at,
                  const DeviceRates& rates, const MeasurementFilter& filter) {
  double total = 0;
  std::optional<double> arithmetic;
  if (rates.flops_per_second) arithmetic = 0;
  for (const auto& [precision, flops] : flops_at) {
    if (flops == 0) continue;
    const auto rate = rates_of_layer(rates, precision, filter.precision).flops_per_second;
    if (total == 0) arithmetic = 0;
    total += flops;
    arithmetic = rate && arithmetic ? std::optional(*arithmetic + flops / *rate) : std::nullopt;
  }
  const bool updates = std::ranges::any_of(graph.layers, updates_weights);
  const Moved moved =
      graph.compulsory ? moved_by(*graph.compulsory, filter.precision, updates) : Moved{};
  Floor floor = floor_of(total, moved, rates, filter.cold);
  floor.arithmetic_seconds = arithmetic;
  if (!graph.compulsory) {
    floor.moved.reset();
    floor.memory_seconds.reset();
  }
  return floor;
}

/// Whether the products among a layer's calls were timed with weights that come from memory.
bool has_times_from_memory(const LayerTime& time) {
  return std::ranges::all_of(time.calls, [](const Measurement* call) {
    if (call->rotating_seconds) return true;
    const auto problem = parsed(call->variant.key);
    return problem && !is_product(*problem);
  });
}

}  // namespace

ModelFloor model_floor(const Graph& graph, const std::vector<LayerTime>& times,
                       const DeviceRates& rates, const MeasurementFilter& filter) {
  ModelFloor result{.rates = rates, .layers = std::vector<Floor>(graph.layers.size())};
  std::vector<double> flops(graph.layers.size());
  const bool large = !filter.weights_in_cache && !filter.cold &&
                     weights_come_from_memory(graph, filter.precision, rates.most_kept_bytes);
  const std::vector<std::vector<const Fusion*>> fusions = fusions_of_one_layer(graph);
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    flops[layer] = layer_flops(graph.layers[layer], fusions[layer]);
    if (times[layer].calls.empty()) continue;
    // If the call does several layers, only what is known of this one; the operator follows below.
    const bool alone = times[layer].does.empty();
    result.layers[layer] =
        layer_floor(graph, layer, alone ? flops[layer] : 0,
                    alone ? ways_of(graph.layers[layer], fusions[layer]) : Ways{}, rates, filter,
                    large && has_times_from_memory(times[layer]));
  }
  // A whole operator may need fewer FLOPs than its layers, e.g. because of a mask.
  std::vector<bool> done(graph.layers.size());
  const auto own = [&](std::size_t layer) {
    return arithmetic_precision(graph.layers[layer], filter.precision);
  };
  for (const Fusion& fusion : graph.fusions) {
    if (!fusion.whole || fusion.layers.size() < 2 || !parsed(fusion.problem)) continue;
    double apart = 0;
    for (const std::size_t layer : fusion.layers) apart += flops[layer];
    double least = 0;
    for (const std::string& key : problems_of(fusion)) least += flops_of(key);
    least = std::min(apart, least);
    const std::size_t last = fusion.layers.back();
    if (times[last].does == fusion.layers) {
      // Of two calls, only what the last layer writes is known to be moved.
      const auto calls = problems_of(fusion);
      result.layers[last] =
          layer_floor(graph, last, least, calls.size() == 1 ? Ways{.one = calls} : Ways{}, rates,
                      filter, large && has_times_from_memory(times[last]));
    }
    const auto is_counted = [&](std::size_t layer) {
      return done[layer] || !graph.layers[layer].assumed.empty();
    };
    if (least >= apart || std::ranges::any_of(fusion.layers, is_counted)) continue;
    for (const std::size_t layer : fusion.layers) done[layer] = true;
    // The fastest of its layers' precisions.
    const std::size_t narrowest = std::ranges::min(
        fusion.layers, {}, [&](std::size_t layer) { return element_bytes(own(layer)); });
    result.flops_at[own(narrowest)] += least;
  }
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    // Of sizes that are assumed, the least is unknown.
    if (done[layer] || !graph.layers[layer].assumed.empty()) continue;
    result.flops_at[own(layer)] += flops[layer];
  }
  result.model = whole_floor(graph, result.flops_at, rates, filter);
  return result;
}

}  // namespace benanza::analysis
