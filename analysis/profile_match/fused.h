#pragma once

#include <vector>

#include "analysis/profile_match/mapping.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// For each fusion of the graph: whether one operator of the framework does all of its layers.
/// False for a fusion of one layer, and where a layer was not found.
std::vector<bool> fused_by_framework(const Graph& graph, const Mapping& mapping);

}  // namespace benanza::analysis
