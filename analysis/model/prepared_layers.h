#pragma once

#include <vector>

#include "core/graph_file/data_flow.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// The layers that prepare positions, lengths and masks: what they read are integers and truth
/// values of the caller's, each other's results, and constants; they make integers, truth values
/// or, with constants of one element alone, floats. No library computes integers; a plan leaves
/// these layers to its caller.
std::vector<bool> prepared_layers(const Graph& graph, const DataFlow& flow);

}  // namespace benanza::analysis
