#pragma once

#include <string>

#include "generator/onnx/graph.h"

namespace benanza {

/// Version of graph.json.
constexpr int graph_schema = 1;

/// graph.json: what the analysis joins with measurements. Unknown numbers and shapes are null.
std::string graph_json(const Graph& graph);

}  // namespace benanza
