#include "analysis/model/floor.h"

#include <algorithm>
#include <limits>
#include <string_view>

namespace benanza::analysis {
namespace {

/// How many numbers in [0, count) are `rest` modulo `step`.
std::int64_t count_of_rest(std::int64_t count, std::int64_t rest, std::int64_t step) {
  rest = ((rest % step) + step) % step;
  return count <= rest ? 0 : (count - rest + step - 1) / step;
}

/// At stride 1 and dilation 1.
std::int64_t least_of_sum(std::int64_t inputs, std::int64_t outputs, std::int64_t kernel) {
  if (inputs <= 0 || outputs <= 0 || kernel <= 0) return 0;
  return std::min({outputs + kernel - 1, inputs + kernel - 1, outputs + inputs - 1});
}

/// Pairs of outputs and taps that meet an input.
std::int64_t all_products(const Axis& axis) {
  std::int64_t count = 0;
  for (std::int64_t tap = 0; tap < axis.kernel; ++tap) {
    // 0 <= o * stride + shift < inputs
    const std::int64_t shift = tap * axis.dilation - axis.pad;
    const std::int64_t first = shift >= 0 ? 0 : (-shift + axis.stride - 1) / axis.stride;
    const std::int64_t room = axis.inputs - 1 - shift;
    const std::int64_t last = room < 0 ? -1 : std::min(axis.outputs - 1, room / axis.stride);
    count += std::max<std::int64_t>(0, last - first + 1);
  }
  return count;
}

/// Inputs of the axis that some output needs: those of the taps, each once.
std::int64_t touched_inputs(const Axis& axis) {
  std::vector<bool> is_touched(static_cast<std::size_t>(axis.inputs));
  std::int64_t count = 0;
  for (std::int64_t output = 0; output < axis.outputs; ++output) {
    for (std::int64_t tap = 0; tap < axis.kernel; ++tap) {
      const std::int64_t input = output * axis.stride - axis.pad + tap * axis.dilation;
      if (input < 0 || input >= axis.inputs || is_touched[static_cast<std::size_t>(input)])
        continue;
      is_touched[static_cast<std::size_t>(input)] = true;
      ++count;
    }
  }
  return count;
}

Axis axis_of(const Window& window, const Dims& inputs, const Dims& outputs, std::size_t axis) {
  return {.inputs = inputs[axis],
          .outputs = outputs[axis],
          .kernel = window.kernel[axis],
          .stride = window.strides[axis],
          .dilation = window.dilations[axis],
          .pad = window.pads[axis]};
}

double products_of(const Window& window, const Dims& inputs, const Dims& outputs) {
  double products = 1;
  for (std::size_t axis = 0; axis < window.rank(); ++axis) {
    products *= static_cast<double>(least_products(axis_of(window, inputs, outputs, axis)));
  }
  return products;
}

double number(std::int64_t value) { return static_cast<double>(value); }

struct LeastFlops {
  double operator()(const Convolution& conv) const {
    const double pairs =
        number(conv.input[0]) * number(conv.filters) * number(conv.input[1] / conv.groups);
    return 2 * pairs * products_of(conv.window, spatial(conv.input), spatial(conv.output()));
  }
  // The same sums read the other way: as many multiplications (transposition).
  double operator()(const Deconvolution& deconv) const {
    const double pairs =
        number(deconv.input[0]) * number(deconv.input[1]) * number(deconv.filters / deconv.groups);
    return 2 * pairs * products_of(deconv.window, spatial(deconv.output()), spatial(deconv.input));
  }
  double operator()(const Gemm& gemm) const { return gemm.flops(); }
  double operator()(const Attention& attention) const { return attention.least_flops(); }
  double operator()(const Recurrent& recurrent) const {
    const std::int64_t with_state = recurrent.steps - (recurrent.initial ? 0 : 1);
    double products = 0;
    for (std::int64_t layer = 0; layer < recurrent.layers; ++layer) {
      products += number(recurrent.steps) * number(recurrent.layer_inputs(layer)) +
                  number(with_state) * number(recurrent.hidden);
    }
    return 2 * products * number(recurrent.batch) * number(recurrent.directions()) *
           number(recurrent.gates()) * number(recurrent.hidden);
  }
  template <class Other>
  double operator()(const Other&) const {
    return 0;
  }
};

/// Of the elements that inputs() has, those that are needed.
double needed_share(const Shape& shape) {
  const auto of_window = [](const Window& window, const Dims& input, const Dims& output) {
    double share = 1;
    for (std::size_t axis = 0; axis < window.rank(); ++axis) {
      const Axis one = axis_of(window, spatial(input), spatial(output), axis);
      share *= number(touched_inputs(one)) / number(one.inputs);
    }
    return share;
  };
  if (const auto* conv = std::get_if<Convolution>(&shape)) {
    return of_window(conv->window, conv->input, conv->output());
  }
  if (const auto* pooling = std::get_if<Pooling>(&shape)) {
    return of_window(pooling->window, pooling->input, pooling->output());
  }
  return std::holds_alternative<Resampling>(shape) ? 0 : 1;
}

/// Elements that a copy reads: what it repeats, once.
double copied_elements(const Copy& copy) {
  double count = 1;
  for (std::size_t axis = 0; axis < copy.dims.size(); ++axis) {
    if (copy.from[axis] != 0) count *= number(copy.dims[axis]);
  }
  return count;
}

constexpr std::string_view product_ops[] = {"Conv",      "Gemm", "MatMul", "Einsum",
                                            "Attention", "LSTM", "GRU",    "RNN"};

/// Does the operator itself ask for products, so that no way around them is known?
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

/// Keys of the problems that do all of the layer in one call.
std::vector<std::string> one_call_ways(const Graph& graph, std::size_t layer) {
  std::vector<std::string> keys;
  if (graph.layers[layer].problems.size() == 1) keys.push_back(graph.layers[layer].problems[0]);
  for (const Fusion& fusion : graph.fusions) {
    if (fusion.layers == std::vector{layer}) keys.push_back(fusion.problem);
  }
  return keys;
}

/// The least over the layer's ways.
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

/// Bytes of the layer's first result, the only one that is known to be needed; 0 if unknown.
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

/// The floor of a layer that is done by itself.
Floor layer_floor(const Graph& graph, std::size_t layer, double flops,
                  const std::vector<std::string>& ways, const DeviceRates& rates,
                  const MeasurementFilter& filter) {
  double bytes = std::numeric_limits<double>::infinity();
  double read = bytes;
  for (const std::string& key : ways) {
    const auto problem = parsed(key);
    if (!problem) return floor_of(flops, 0, 0, rates, filter.cold);
    bytes = std::min(bytes, least_bytes(*problem, filter.precision));
    read = std::min(read, least_read_bytes(*problem, filter.precision));
  }
  if (ways.empty()) {
    bytes = result_bytes(graph.layers[layer], filter.precision);
    read = 0;
  }
  return floor_of(flops, read, bytes, rates, filter.cold);
}

}  // namespace

std::int64_t least_products(const Axis& axis) {
  const std::int64_t all = all_products(axis);
  std::int64_t least = 0;
  if (axis.stride == 1) {
    for (std::int64_t rest = 0; rest < axis.dilation; ++rest) {
      least += least_of_sum(count_of_rest(axis.inputs, rest - axis.pad, axis.dilation),
                            count_of_rest(axis.outputs, rest, axis.dilation), axis.kernel);
    }
  } else if (axis.dilation == 1) {
    for (std::int64_t rest = 0; rest < axis.stride; ++rest) {
      least += least_of_sum(count_of_rest(axis.inputs, rest - axis.pad, axis.stride), axis.outputs,
                            count_of_rest(axis.kernel, rest, axis.stride));
    }
  } else {
    return all;
  }
  return std::min(least, all);
}

double least_flops(const Problem& problem) { return std::visit(LeastFlops{}, problem.shape); }

double least_read_bytes(const Problem& problem, Precision precision) {
  if (const auto* copy = std::get_if<Copy>(&problem.shape)) {
    return copied_elements(*copy) * number(element_bytes(precision));
  }
  double bytes = number(work(problem, precision).bytes_read);
  const double share = needed_share(problem.shape);
  if (share < 1) {
    const double input = number(element_count(inputs(problem).front().dims));
    bytes -= (1 - share) * input * number(element_bytes(precision));
  }
  return std::max(0.0, bytes);
}

double least_bytes(const Problem& problem, Precision precision) {
  return least_read_bytes(problem, precision) + number(work(problem, precision).bytes_written);
}

DeviceRates device_rates(const Results& results, const MeasurementFilter& filter) {
  DeviceRates rates;
  const auto raise = [](std::optional<double>& rate, double value) {
    if (value > 0) rate = std::max(rate.value_or(0), value);
  };
  const auto admitted = [&](const std::string& backend) {
    return !filter.backend || backend == *filter.backend;
  };
  const std::string flops =
      "peak_" + std::string(to_string(filter.precision)) + "_flops_per_second";
  for (const auto& [backend, peaks] : results.peaks) {
    if (!admitted(backend)) continue;
    if (const auto found = peaks.find(flops); found != peaks.end()) {
      raise(rates.flops_per_second, found->second);
    }
    if (const auto found = peaks.find("peak_bytes_per_second"); found != peaks.end()) {
      raise(rates.bytes_per_second, found->second);
    }
  }
  for (const auto& [backend, system] : results.systems) {
    if (!admitted(backend)) continue;
    for (const char* name : {"l2_bytes", "l3_bytes", "cache_bytes"}) {
      const auto found = system.find(name);
      if (found == system.end()) continue;
      try {
        raise(rates.cache_bytes, std::stod(found->second));
      } catch (const std::exception&) {
        // A context that was written by something else: not known.
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
                       const DeviceRates& rates, const MeasurementFilter& filter) {
  ModelFloor result{.rates = rates, .layers = std::vector<Floor>(graph.layers.size())};
  std::vector<double> flops(graph.layers.size());
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    const std::vector<std::string> ways = one_call_ways(graph, layer);
    flops[layer] = layer_flops(graph, layer, ways);
    if (times[layer].calls.empty()) continue;
    // Of a call that does several layers, what is known of this one; the operator is below.
    const bool alone = times[layer].does.empty();
    result.layers[layer] = layer_floor(graph, layer, alone ? flops[layer] : 0,
                                       alone ? ways : std::vector<std::string>{}, rates, filter);
  }
  // An operator as a whole may hide some of its pieces' products behind a mask.
  std::vector<bool> done(graph.layers.size());
  double total = 0;
  for (const Fusion& fusion : graph.fusions) {
    const auto problem = parsed(fusion.problem);
    if (!fusion.whole || fusion.layers.size() < 2 || !problem) continue;
    double apart = 0;
    for (const std::size_t layer : fusion.layers) apart += flops[layer];
    const double least = std::min(apart, least_flops(*problem));
    const std::size_t last = fusion.layers.back();
    if (times[last].does == fusion.layers) {
      result.layers[last] = layer_floor(graph, last, least, {fusion.problem}, rates, filter);
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
