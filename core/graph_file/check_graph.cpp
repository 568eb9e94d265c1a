#include "core/graph_file/check_graph.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/problem/name.h"
#include "core/problem/precision.h"
#include "core/problem/problem.h"

namespace benanza {
namespace {

/// Also the most of a tensor's elements, so that sums over a model fit.
constexpr std::int64_t most = most_elements;

bool is_count(std::int64_t value) { return value >= 0 && value <= most; }

bool is_amount(const std::optional<double>& value) {
  return !value || (*value >= 0 && std::isfinite(*value));
}

bool is_traffic(const std::optional<Compulsory>& compulsory) {
  if (!compulsory) return true;
  for (const Traffic* traffic : {&compulsory->inputs, &compulsory->weights, &compulsory->outputs}) {
    if (!is_count(traffic->elements) || !is_count(traffic->bytes)) return false;
    if (!is_count(traffic->halves)) return false;
  }
  return true;
}

/// Says which of the indices is none; empty if all are.
std::string outside(const std::vector<std::size_t>& indices, std::size_t count) {
  for (const std::size_t index : indices) {
    if (index >= count) return "there is no layer " + std::to_string(index);
  }
  return "";
}

std::string fault_of_inputs(const Graph& graph, std::size_t index) {
  const Layer& layer = graph.layers[index];
  if (std::string none = outside(layer.inputs, graph.layers.size()); !none.empty()) return none;
  for (const std::size_t input : layer.inputs) {
    if (input < index) continue;
    return topological_order(graph.layers).empty()
               ? "its inputs form a cycle"
               : "it reads layer \"" + graph.layers[input].name + "\", which comes after it";
  }
  return "";
}

std::string fault_of(const Graph& graph, std::size_t index) {
  const Layer& layer = graph.layers[index];
  if (layer.cost == Cost::measured && layer.problems.empty()) {
    return "is measured but has no problem";
  }
  if (!layer.precision.empty() && layer.precision != "cast" && !parse_precision(layer.precision)) {
    return "unknown precision \"" + layer.precision + '"';
  }
  constexpr std::string_view phases[] = {"", "forward", "backward", "update"};
  if (std::ranges::find(phases, layer.phase) == std::end(phases)) {
    return "unknown phase \"" + layer.phase + '"';
  }
  if (!is_amount(layer.flops)) return "FLOPs that are no amount";
  if (!is_amount(layer.bytes) || layer.bytes.value_or(0) >= 0x1p63) {
    return "bytes that are no amount";
  }
  if (!std::ranges::all_of(layer.gradients, is_count)) return "gradients that are no counts";
  if (!is_traffic(layer.compulsory)) return "compulsory traffic that is no amount";
  for (const Output& output : layer.outputs) {
    if (output.shape && !std::ranges::all_of(*output.shape, is_count)) {
      return "an output of no possible shape";
    }
  }
  return fault_of_inputs(graph, index);
}

std::string fault_of(const Fusion& fusion, std::size_t count) {
  if (fusion.layers.empty()) return "has no layers";
  if (std::string none = outside(fusion.layers, count); !none.empty()) return none;
  for (std::size_t i = 1; i < fusion.layers.size(); ++i) {
    const std::string layer = std::to_string(fusion.layers[i]);
    if (fusion.layers[i] == fusion.layers[i - 1]) return "has layer " + layer + " twice";
    if (fusion.layers[i] < fusion.layers[i - 1]) {
      return "layer " + layer + " comes before those ahead of it";
    }
  }
  for (const std::string& problem : problems_of(fusion)) {
    if (problem.empty()) return "has no problem";
  }
  return "";
}

/// Says which problem no machine holds. What else is wrong with a key is not said: other versions
/// know other operators.
std::string too_large(const Graph& graph) {
  for (const std::string& key : problems_of(graph)) {
    try {
      parse(key);
    } catch (const TooLarge& error) {
      return error.what();
    } catch (const std::invalid_argument&) {
      continue;
    }
  }
  return "";
}

}  // namespace

std::string contradiction_of(const Graph& graph) {
  if (graph.layers.empty()) return "has no layers";
  if (graph.batch && (*graph.batch < 1 || *graph.batch > most)) {
    return "batch " + std::to_string(*graph.batch);
  }
  if (!is_traffic(graph.compulsory)) return "compulsory traffic that is no amount";
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    const std::string fault = fault_of(graph, layer);
    if (!fault.empty()) return "layer \"" + graph.layers[layer].name + "\": " + fault;
  }
  for (const Fusion& fusion : graph.fusions) {
    const std::string fault = fault_of(fusion, graph.layers.size());
    if (!fault.empty()) return "fusion " + fusion.pattern + ' ' + fault;
  }
  for (const LayoutTransform& transform : graph.transforms) {
    const std::string none = outside({transform.layer}, graph.layers.size());
    if (!none.empty()) return "a transform: " + none;
  }
  if (!graph.precision.empty() && !parse_precision(graph.precision)) {
    return "unknown precision \"" + graph.precision + '"';
  }
  for (const std::string& name : graph.recorded) {
    try {
      parse_variant_name(name);
    } catch (const std::invalid_argument& error) {
      return std::string("recorded: ") + error.what();
    }
  }
  return too_large(graph);
}

}  // namespace benanza
