#pragma once

#include <string>
#include <string_view>

namespace benanza::analysis {

/// Returns a text that is equal for problems which do the same work but which frameworks express
/// differently: products regardless of their operands' layout, element-wise operators regardless of
/// leading extents of 1, and a mean over all pixels and average pooling over all of them. For all
/// other problems and for invalid keys, returns the key.
std::string signature(std::string_view key);

}  // namespace benanza::analysis
