#pragma once

#include <string>
#include <string_view>

namespace benanza::analysis {

/// A text that is equal for problems that frameworks write differently though they are the same
/// work: products whatever the order in memory of their operands, sums of elements whatever their
/// leading extents of 1, a mean over all pixels and average pooling over all of them. The key
/// itself for every other problem, and for what is no key.
std::string signature(std::string_view key);

}  // namespace benanza::analysis
