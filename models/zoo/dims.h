#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace benanza::zoo {

/// Extents of a tensor, outermost first: batch, channels, height, width.
using Dims = std::vector<std::int64_t>;

/// Product of `dims`; 1 for a scalar.
std::int64_t element_count(const Dims& dims);

/// "1x64x56x56"; empty for a scalar.
std::string to_string(const Dims& dims);

}  // namespace benanza::zoo
