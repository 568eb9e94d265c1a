#pragma once

#include <optional>
#include <vector>

#include "analysis/profiles/profile.h"
#include "core/api_log/api_log.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// How a layer was found in a profile.
enum class MatchKind {
  no,       // nothing ran for it, and there is no operator that it could be part of
  inside,   // part of another layer's operator
  name,     // the profile names it
  problem,  // an operator of its shapes and attributes (those that it states), in its place
  kind,     // an operator of its kind in its place; shapes or attributes differ or are not known
  moved,    // an operator of its shapes and attributes, in another place of the order
};
std::string_view to_string(MatchKind found);

/// A layer, and the part of a framework's operator that does it.
struct Pair {
  std::size_t node = 0;
  std::size_t part = 0;
  std::size_t layer = 0;
};

/// Which of the model's layers a framework's operators do.
struct Mapping {
  /// Per profiled node: the layers it does, ascending. Empty: the framework did more than the model
  /// asks (a reorder, say).
  std::vector<std::vector<std::size_t>> layers_of_node;
  /// Per layer: its node. Empty: the framework runs nothing for it, and no operator it could be
  /// part of was found.
  std::vector<std::optional<std::size_t>> node_of_layer;
  /// Per layer: the profile has a node for it. Not so where it is part of another layer's node.
  std::vector<bool> named;
  std::vector<MatchKind> found;
  /// Of nodes that say what they do by their parts; by layer.
  std::vector<Pair> pairs;
};

/// Matches, in this order, each step among what the ones before left over:
/// 1. a node whose origin is a layer's name, or the name of a tensor a layer computes; in the
///    second case the node also does the layers before that one back to one of its own operator;
/// 2. a node whose name holds a layer's name as a whole word, operators equal;
/// 3. operators of one type, in order, where as many nodes as layers of that type are left;
/// 4. nodes without an origin by align();
/// 5. measured layers without a node (folded or fused) are part of the node that ran last among
///    those of the layers they read, else of the first node that reads them.
Mapping map_layers(const Graph& graph, const std::vector<ProfiledNode>& nodes);

/// How the layers with work to do were found, and of the profile's operators.
struct Quality {
  std::size_t layers = 0;
  /// Of them: name or problem; kind; moved; inside; no.
  std::size_t matched = 0;
  std::size_t other_shapes = 0;
  std::size_t moved = 0;
  std::size_t inside = 0;
  std::size_t missing = 0;
  std::size_t nodes = 0;
  /// Operators that do no layer.
  std::size_t extra = 0;
};
Quality quality(const Graph& graph, const Mapping& mapping);

/// Per layer of `graph` the index of the call that does it, where order and problems tell
/// (align()).
std::vector<std::optional<std::size_t>> calls_of_layers(const Graph& graph,
                                                        const std::vector<LibraryCall>& calls);

}  // namespace benanza::analysis
