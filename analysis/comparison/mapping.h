#pragma once

#include <optional>
#include <vector>

#include "graph/graph.h"
#include "profiles/profile.h"

namespace benanza {

/// Which of the model's layers a framework's operators do.
struct Mapping {
  /// Per profiled node: the layers it does, ascending. Empty: the framework did more than the model
  /// asks (a reorder, say).
  std::vector<std::vector<std::size_t>> layers_of_node;
  /// Per layer: its node. Empty: the framework runs nothing for it, and no operator it could be
  /// part of was found.
  std::vector<std::optional<std::size_t>> node_of_layer;
  /// Per layer: the profile names a node for it. Not so where it is part of another layer's node.
  std::vector<bool> named;
};

/// Matches, in this order, each step among what the ones before left over:
/// 1. a node whose origin is a layer's name, or the name of a tensor a layer computes; in the
///    second case the node also does the layers before that one back to one of its own operator;
/// 2. a node whose name holds a layer's name as a whole word, operators equal;
/// 3. operators of one type, in order, where as many nodes as layers of that type are left;
/// 4. measured layers without a node (folded or fused) are part of the node that ran last among
///    those of the layers they read, else of the first node that reads them.
Mapping map_layers(const Graph& graph, const std::vector<ProfiledNode>& nodes);

}  // namespace benanza
