#include "generator/emit/graph_json.h"

#include <nlohmann/json.hpp>

#include "generator/onnx/transforms.h"

namespace benanza {
namespace {

using Json = nlohmann::ordered_json;

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

Json key_or_null(const std::optional<Problem>& problem) {
  return problem ? Json(key(*problem)) : Json();
}

Json layer_json(const Layer& layer) {
  Json keys = Json::array();
  for (const Call& call : layer.calls) keys.push_back(key(call.problem));
  Json outputs = Json::array();
  for (const OutputFacts& output : layer.outputs) {
    outputs.push_back(
        {{"name", output.name}, {"type", output.type}, {"shape", or_null(output.shape)}});
  }
  Json json = {{"name", layer.name},
               {"op", layer.op_type},
               {"inputs", layer.inputs},
               {"cost", to_string(layer.cost)},
               {"reason", layer.reason},
               {"problems", std::move(keys)},
               {"flops", or_null(layer.flops)},
               {"bytes", or_null(layer.bytes)},
               {"outputs", std::move(outputs)}};
  if (!layer.assumed.empty()) json["assumed"] = layer.assumed;
  return json;
}

}  // namespace

std::string graph_json(const Graph& graph) {
  Json layers = Json::array();
  for (const Layer& layer : graph.layers) layers.push_back(layer_json(layer));
  Json fusions = Json::array();
  for (const Fusion& fusion : graph.fusions) {
    fusions.push_back(
        {{"pattern", fusion.pattern}, {"layers", fusion.layers}, {"problem", key(fusion.problem)}});
  }
  Json transforms = Json::array();
  for (const LayoutTransform& transform : layout_transforms(graph.layers)) {
    transforms.push_back({{"layer", transform.layer},
                          {"of", transform.of_input ? "input" : "output"},
                          {"to_nhwc", key_or_null(transform.to_nhwc)},
                          {"to_nchw", key_or_null(transform.to_nchw)}});
  }
  const Json json = {{"schema", graph_schema},
                     {"model", graph.model},
                     {"batch", graph.batch},
                     {"opset", graph.opset},
                     {"layers", std::move(layers)},
                     {"fusions", std::move(fusions)},
                     {"transforms", std::move(transforms)}};
  // Names may hold bytes that are no UTF-8: replaced, as JSON cannot hold them.
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace benanza
