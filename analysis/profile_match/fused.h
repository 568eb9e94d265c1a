#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "analysis/profile_match/mapping.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// The operators of the framework that do the fusion's layers; empty for layers that none does.
/// Layers without work, and those that only move elements and did not run (a view), need none.
std::set<std::optional<std::size_t>> nodes_of(const Fusion& fusion, const Graph& graph,
                                              const Mapping& mapping);

/// For each fusion of the graph: whether one operator of the framework does all of its layers.
/// False for a fusion of one layer, and where a layer with work was not found.
std::vector<bool> fused_by_framework(const Graph& graph, const Mapping& mapping);

}  // namespace benanza::analysis
