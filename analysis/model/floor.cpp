#include "analysis/model/floor.h"

#include <algorithm>
#include <limits>
#include <string_view>

namespace benanza::analysis {
namespace {

double number(std::int64_t value) { return static_cast<double>(value); }

/// Substrings of ONNX operator names and of those of the problem tables.
constexpr std::string_view product_ops[] = {"Conv",      "Gemm",  "MatMul", "Einsum",
                                            "Attention", "LSTM",  "GRU",    "RNN",
                                            ".conv",     ".gemm", ".rnn",   ".sparse_gemm"};

/// Returns true if the operator itself consists of products, so that no way around them is known.
bool asks_for_products(const Layer& layer) {
  if (layer.op.find("LinearAttention") != std::string::npos) return false;
  return std::ranges::any_of(
      product_ops, [&](std::string_view op) { return layer.op.find(op) != std::string::npos; });
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

/// Per layer: keys of the problems that do all of it in one call.
std::vector<std::vector<std::string>> one_call_ways(const Graph& graph) {
  const std::vector<std::vector<const Fusion*>> fusions = fusions_of_one_layer(graph);
  std::vector<std::vector<std::string>> ways(graph.layers.size());
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    const std::vector<std::string>& problems = graph.layers[layer].problems;
    if (problems.size() == 1) ways[layer] = problems;
    for (const Fusion* fusion : fusions[layer]) {
      if (fusion->also.empty()) ways[layer].push_back(fusion->problem);
    }
  }
  return ways;
}

/// Returns the least FLOPs over the layer's ways.
double layer_flops(const Graph& graph, std::size_t layer, const std::vector<std::string>& ways) {
  const Layer& described = graph.layers[layer];
  if (described.cost != Cost::measured || !asks_for_products(described)) return 0;
  double least = 0;
  for (const std::string& key : described.problems) least += flops_of(key);
  for (const std::string& key : ways) {
    if (parsed(key)) least = std::min(least, flops_of(key));
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
  return number(traffic.elements) * number(element_bytes(precision)) + number(traffic.bytes);
}

Floor layer_floor(const Graph& graph, std::size_t layer, double flops,
                  const std::vector<std::string>& ways, const DeviceRates& rates,
                  const MeasurementFilter& filter) {
  const Precision precision = precision_of(graph.layers[layer], filter.precision);
  double bytes = std::numeric_limits<double>::infinity();
  double read = bytes;
  for (const std::string& key : ways) {
    const auto problem = parsed(key);
    if (!problem) return floor_of(flops, 0, 0, rates, filter.cold);
    bytes = std::min(bytes, least_bytes(*problem, precision));
    read = std::min(read, least_read_bytes(*problem, precision));
  }
  if (ways.empty()) {
    bytes = result_bytes(graph.layers[layer], precision);
    read = 0;
    if (const auto& known = graph.layers[layer].compulsory) {
      read = bytes_at(known->inputs, precision) + bytes_at(known->weights, precision);
      bytes = read + bytes_at(known->outputs, precision);
    }
  }
  return floor_of(flops, read, bytes, rates, filter.cold);
}

/// Drops the peak of arithmetic, which is that of `filter`'s precision, if layers of their own
/// precision may be faster.
DeviceRates without_too_low(DeviceRates rates, const Graph& graph,
                            const MeasurementFilter& filter) {
  const auto may_be_faster = [&](const Layer& layer) {
    return element_bytes(precision_of(layer, filter.precision)) < element_bytes(filter.precision);
  };
  if (std::ranges::any_of(graph.layers, may_be_faster)) rates.flops_per_second.reset();
  return rates;
}

/// The fastest a product of the results did its arithmetic, in FLOP/s; 0 if there is none that a
/// peak of `limit` allows.
double fastest_product(const MeasurementSet& measurements, const MeasurementFilter& filter,
                       double limit) {
  double fastest = 0;
  for (const std::string_view key : measurements.keys()) {
    if (!key.starts_with("gemm/") && !key.starts_with("conv/")) continue;
    const double flops = flops_of(std::string(key));
    for (const Measurement& row : measurements.find(key)) {
      if (row.status != Status::ok || row.variant.precision != filter.precision) continue;
      if (!admits_backend(filter, row.variant.backend)) continue;
      const double rate = flops / row.seconds();
      if (rate <= limit) fastest = std::max(fastest, rate);
    }
  }
  return fastest;
}

}  // namespace

DeviceRates device_rates(const Results& results, const MeasurementFilter& filter) {
  DeviceRates rates;
  const auto raise = [](std::optional<double>& rate, double value) {
    if (value > 0) rate = std::max(rate.value_or(0), value);
  };
  const auto admitted = [&](const std::string& backend) { return admits_backend(filter, backend); };
  const std::string flops = std::string(to_string(filter.precision)) + "_flops_per_second";
  std::optional<double> possible;
  for (const auto& [backend, peaks] : results.peaks) {
    if (!admitted(backend)) continue;
    if (const auto found = peaks.find("peak_" + flops); found != peaks.end()) {
      raise(rates.flops_per_second, found->second);
    }
    if (const auto found = peaks.find("possible_" + flops); found != peaks.end()) {
      raise(possible, found->second);
    }
    if (const auto found = peaks.find("peak_bytes_per_second"); found != peaks.end()) {
      raise(rates.bytes_per_second, found->second);
    }
  }
  // The products that measure the peak are large and may reach the limit of power. Others are
  // faster then, a few percent where they are short, and up to the peak on zeros in a cooler
  // minute.
  constexpr double tolerated = 1.1;
  if (rates.flops_per_second) {
    const double limit = std::max(tolerated * *rates.flops_per_second, possible.value_or(0));
    raise(rates.flops_per_second, fastest_product(results.measurements, filter, limit));
  }
  for (const auto& [backend, system] : results.systems) {
    if (!admitted(backend)) continue;
    for (const char* name : {"l2_bytes", "l3_bytes", "cache_bytes"}) {
      const auto found = system.find(name);
      if (found == system.end()) continue;
      try {
        raise(rates.cache_bytes, std::stod(found->second));
      } catch (const std::exception&) {
        // The context has a malformed value: unknown.
      }
    }
  }
  return rates;
}

std::optional<double> Floor::seconds() const {
  if (!arithmetic_seconds) return memory_seconds;
  if (!memory_seconds) return arithmetic_seconds;
  return std::max(*arithmetic_seconds, *memory_seconds);
}

Floor floor_of(double flops, double read_bytes, double bytes, const DeviceRates& rates, bool cold) {
  Floor floor{.flops = flops, .bytes = bytes};
  if (rates.flops_per_second) floor.arithmetic_seconds = flops / *rates.flops_per_second;
  if (rates.bytes_per_second && rates.cache_bytes) {
    const double beyond = std::max(0.0, bytes - *rates.cache_bytes);
    floor.memory_seconds = (cold ? std::max(beyond, read_bytes) : beyond) / *rates.bytes_per_second;
  }
  return floor;
}

ModelFloor model_floor(const Graph& graph, const std::vector<LayerTime>& times,
                       const DeviceRates& peaks, const MeasurementFilter& filter) {
  const DeviceRates rates = without_too_low(peaks, graph, filter);
  ModelFloor result{.rates = rates, .layers = std::vector<Floor>(graph.layers.size())};
  std::vector<double> flops(graph.layers.size());
  const std::vector<std::vector<std::string>> ways = one_call_ways(graph);
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    flops[layer] = layer_flops(graph, layer, ways[layer]);
    if (times[layer].calls.empty()) continue;
    // If the call does several layers, only what is known of this one; the operator follows below.
    const bool alone = times[layer].does.empty();
    result.layers[layer] =
        layer_floor(graph, layer, alone ? flops[layer] : 0,
                    alone ? ways[layer] : std::vector<std::string>{}, rates, filter);
  }
  // A whole operator may need fewer FLOPs than its layers, e.g. because of a mask.
  std::vector<bool> done(graph.layers.size());
  double total = 0;
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
          layer_floor(graph, last, least, calls.size() == 1 ? calls : std::vector<std::string>{},
                      rates, filter);
    }
    const auto is_done = [&](std::size_t layer) { return done[layer]; };
    if (least >= apart || std::ranges::any_of(fusion.layers, is_done)) continue;
    for (const std::size_t layer : fusion.layers) done[layer] = true;
    total += least;
  }
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    if (!done[layer]) total += flops[layer];
  }
  if (graph.compulsory) {
    const double read = bytes_at(graph.compulsory->inputs, filter.precision) +
                        bytes_at(graph.compulsory->weights, filter.precision);
    const double written = bytes_at(graph.compulsory->outputs, filter.precision);
    result.model = floor_of(total, read, read + written, rates, filter.cold);
  } else {
    result.model = floor_of(total, 0, 0, rates, filter.cold);
    result.model.bytes.reset();
    result.model.memory_seconds.reset();
  }
  return result;
}

}  // namespace benanza::analysis
