#pragma once

#include <string>

#include "core/graph_file/graph.h"

namespace benanza {

/// Says where the graph contradicts itself or has a number that no model has: "fusion p has no
/// layers". Empty if it is sound.
std::string contradiction_of(const Graph& graph);

}  // namespace benanza
