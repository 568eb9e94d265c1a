#pragma once

#include <string>
#include <string_view>

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

}  // namespace benanza::analysis
