#pragma once

#include <string>
#include <string_view>

namespace benanza::analysis {

/// Returns a text that is equal for problems that do the same work although frameworks express them
/// differently: products in any layout of their operands, binary operators with any leading extents
/// of 1 and, if commutative, in either order, and a mean over all pixels and average pooling over
/// all of them. For all other problems and for invalid keys, returns the key.
std::string signature(std::string_view key);

}  // namespace benanza::analysis
