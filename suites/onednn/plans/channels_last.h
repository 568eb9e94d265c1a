#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/problem/text.h"

namespace benanza::onednn {

/// Returns extents n, c, spatial... as n, spatial..., c.
Dims last_channels(const Dims& dims);

using Rearrange = std::function<std::vector<float>(std::span<const float>)>;

/// Reorders the elements of a row-major tensor of extents `dims` (n, c, spatial...) to the order of
/// last_channels(dims).
Rearrange channels_to_the_end(const Dims& dims);

}  // namespace benanza::onednn
