#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/profiles/profile.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// Returns a text that is equal for problems that do the same work although frameworks express them
/// differently: products in any layout of their operands, binary operators with any leading extents
/// of 1 and, if commutative, in either order, and a mean over all pixels and average pooling over
/// all of them. For all other problems and for invalid keys, returns the key.
std::string signature(std::string_view key);

/// Maps operators that do the same kind of work under several names to one of them, and drops the
/// domain of a name.
std::string_view kind_of_operator(std::string_view op);

/// True if both are signatures of products and `run` is `asked` with extents rounded up to
/// multiples of 4 or 8, as torch.compile pads them for Tensor Cores.
bool is_padded(std::string_view run, std::string_view asked);

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
