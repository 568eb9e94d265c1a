#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/graph_file/graph.h"

namespace benanza {
namespace {

using Json = nlohmann::ordered_json;

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

/// Version of a file that stores a repeated list of problems once, with its count.
constexpr int counted_schema = graph_schema + 1;

/// How often `problems` repeats its shortest period: thousands of times in recorded calls. 1 for
/// the short lists that models have.
std::size_t turns(const std::vector<std::string>& problems) {
  constexpr std::size_t fewest_turns = 4;
  for (std::size_t length = 1; length * fewest_turns <= problems.size(); ++length) {
    if (problems.size() % length != 0) continue;
    bool repeats = true;
    for (std::size_t at = length; at < problems.size() && repeats; ++at) {
      repeats = problems[at] == problems[at - length];
    }
    if (repeats) return problems.size() / length;
  }
  return 1;
}

Json traffic_json(const Traffic& traffic) {
  Json json{{"elements", traffic.elements}, {"bytes", traffic.bytes}};
  if (traffic.halves != 0) json["halves"] = traffic.halves;
  return json;
}

Json compulsory_json(const Compulsory& compulsory) {
  return {{"inputs", traffic_json(compulsory.inputs)},
          {"weights", traffic_json(compulsory.weights)},
          {"outputs", traffic_json(compulsory.outputs)}};
}

Json layer_json(const Layer& layer) {
  const std::size_t count = turns(layer.problems);
  const std::vector<std::string> problems(
      layer.problems.begin(),
      layer.problems.begin() + static_cast<std::ptrdiff_t>(layer.problems.size() / count));
  Json outputs = Json::array();
  for (const Output& output : layer.outputs) {
    outputs.push_back(
        {{"name", output.name}, {"type", output.type}, {"shape", or_null(output.shape)}});
  }
  Json json = {{"name", layer.name},
               {"op", layer.op},
               {"inputs", layer.inputs},
               {"cost", to_string(layer.cost)},
               {"reason", layer.reason},
               {"problems", problems},
               {"flops", or_null(layer.flops)},
               {"bytes", layer.bytes ? Json(static_cast<std::int64_t>(*layer.bytes)) : Json()},
               {"outputs", std::move(outputs)}};
  if (count > 1) json["count"] = count;
  std::vector<std::size_t> moves = layer.inner_moves;
  std::erase_if(moves, [&](std::size_t move) { return move >= problems.size(); });
  if (!moves.empty()) json["inner_moves"] = moves;
  if (!layer.assumed.empty()) json["assumed"] = layer.assumed;
  if (!layer.precision.empty()) json["precision"] = layer.precision;
  if (!layer.phase.empty()) json["phase"] = layer.phase;
  if (!layer.gradients.empty()) json["gradients"] = layer.gradients;
  if (layer.compulsory) json["compulsory"] = compulsory_json(*layer.compulsory);
  return json;
}

}  // namespace

std::string graph_json(const Graph& graph) {
  Json layers = Json::array();
  for (const Layer& layer : graph.layers) layers.push_back(layer_json(layer));
  Json fusions = Json::array();
  for (const Fusion& fusion : graph.fusions) {
    fusions.push_back(
        {{"pattern", fusion.pattern}, {"layers", fusion.layers}, {"problem", fusion.problem}});
    // Older programs read one.
    if (fusion.also.size() == 1) fusions.back()["also"] = fusion.also.front();
    if (fusion.also.size() > 1) fusions.back()["also"] = fusion.also;
    if (fusion.keeps_residual) fusions.back()["keeps_residual"] = true;
    if (fusion.whole) fusions.back()["whole"] = true;
  }
  Json transforms = Json::array();
  for (const LayoutTransform& transform : graph.transforms) {
    transforms.push_back({{"layer", transform.layer},
                          {"of", transform.of_input ? "input" : "output"},
                          {"to_nhwc", or_null(transform.to_nhwc)},
                          {"to_nchw", or_null(transform.to_nchw)}});
  }
  const bool is_counted = std::ranges::any_of(
      graph.layers, [](const Layer& layer) { return turns(layer.problems) > 1; });
  Json json = {{"schema", is_counted ? counted_schema : graph_schema},
               {"model", graph.model},
               {"batch", or_null(graph.batch)},
               {"opset", or_null(graph.opset)}};
  if (!graph.metadata.empty()) json["metadata"] = graph.metadata;
  if (graph.compulsory) json["compulsory"] = compulsory_json(*graph.compulsory);
  json["layers"] = std::move(layers);
  json["fusions"] = std::move(fusions);
  json["transforms"] = std::move(transforms);
  if (!graph.recorded.empty()) json["recorded"] = graph.recorded;
  if (!graph.precision.empty()) json["precision"] = graph.precision;
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace benanza
