#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "analysis/profile_match/evidence.h"
#include "analysis/profiles/profile.h"
#include "core/graph_file/graph.h"
#include "core/library/library_call.h"

namespace benanza::analysis {

/// How a layer was found in a profile.
enum class MatchKind {
  no,       // nothing ran for it, and no operator could include it
  inside,   // part of another layer's operator
  name,     // named in the profile
  order,    // one of as many operators of its kind as layers are left, by order alone
  problem,  // an operator with its shapes and (as far as stated) attributes, in its place
  kind,     // an operator of its kind in its place; shapes or attributes differ or are unknown
  moved,    // an operator with its shapes and attributes, elsewhere in the order
};
std::string_view to_string(MatchKind found);

/// A layer, and the part of a framework's operator that does it.
struct Pair {
  std::size_t node = 0;
  std::size_t part = 0;
  std::size_t layer = 0;
};

/// The layers of the model that each operator of a framework does.
struct Mapping {
  /// Per profiled node: the layers it does, ascending. Empty if it does extra work (a reorder,
  /// say).
  std::vector<std::vector<std::size_t>> layers_of_node;
  /// Per layer: its node. Empty if nothing ran for the layer and no operator was found that it
  /// could be part of.
  std::vector<std::optional<std::size_t>> node_of_layer;
  /// Per layer: true if the profile has a node for it, rather than for a layer that it is part of.
  std::vector<bool> named;
  std::vector<MatchKind> found;
  /// Per layer: what stated shapes say about it. Of a layer inside another's operator: none.
  std::vector<Evidence> evidence;
  /// The pairs found by align(), sorted by layer.
  std::vector<Pair> pairs;
};

/// Matches in these steps, each among what the previous ones left over:
/// 1. a node whose origin is the name of a layer, or of a tensor that a layer computes; in the
///    latter case it also does the layers before that one, back to the nearest with its operator.
///    If its name says so, it also does the sum or the activation after its layer;
/// 2. a node whose name contains a layer's name as a whole word, if the operators are equal;
/// 3. operators of one type, in order, if as many nodes as layers of that type are left;
/// 4. nodes without an origin, by align();
/// 5. measured layers without a node (folded or fused) are part of the node that ran last among
///    those of the layers they read, otherwise of the first node that reads them.
Mapping map_layers(const Graph& graph, const std::vector<ProfiledNode>& nodes);

/// Counts of how the layers with work to do were found, and of the profile's operators.
struct Quality {
  std::size_t layers = 0;
  /// The layers by MatchKind: name or problem; kind; moved; inside; no.
  std::size_t matched = 0;
  std::size_t other_shapes = 0;
  std::size_t moved = 0;
  std::size_t inside = 0;
  std::size_t missing = 0;
  std::size_t nodes = 0;
  /// Operators that do no layer of the model.
  std::size_t extra = 0;
};
Quality quality(const Graph& graph, const Mapping& mapping);

/// Returns for each layer of `graph` the index of the call that does it, if order and problems
/// identify it (align()).
std::vector<std::optional<std::size_t>> calls_of_layers(const Graph& graph,
                                                        const std::vector<LibraryCall>& calls);

/// The operators of the framework that do the fusion's layers; empty for layers that none does.
/// Layers without work, and those that only move elements and did not run (a view), need none.
std::set<std::optional<std::size_t>> nodes_of(const Fusion& fusion, const Graph& graph,
                                              const Mapping& mapping);

/// For each fusion of the graph: whether one operator of the framework does all of its layers.
/// False for a fusion of one layer, and where a layer with work was not found.
std::vector<bool> fused_by_framework(const Graph& graph, const Mapping& mapping);

}  // namespace benanza::analysis
