#pragma once

#include <string>
#include <vector>

#include "analysis/profiles/profile.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// What the shapes that an operator states say about the layers that it is said to do. none: it
/// states too few, or they are only arranged differently.
enum class Evidence { none, agrees, differs };

/// `layers`: those that the node's name stands for, at least one. Compares the result with that of
/// the last of them, and the operands with those of the layer of the node's own operator. Channels
/// may be rounded up, as blocked layouts have them, and rows of a product may be merged. Layers
/// whose extents the data decide never differ.
Evidence evidence(const Graph& graph, const ProfiledNode& node,
                  const std::vector<std::size_t>& layers);

/// "writes 1x16x3072, and 1x512x3072 in the graph": why evidence() is `differs`.
std::string difference(const Graph& graph, const ProfiledNode& node,
                       const std::vector<std::size_t>& layers);

}  // namespace benanza::analysis
