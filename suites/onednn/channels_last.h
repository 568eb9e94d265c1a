#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/problem/text.h"

namespace benanza::onednn {

/// Extents of n, c, spatial... with the channels at the end: n, spatial..., c.
Dims last_channels(const Dims& dims);

using Rearrange = std::function<std::vector<float>(std::span<const float>)>;

/// The elements of a row-major tensor of extents `dims` (n, c, spatial...) in the order of
/// last_channels(dims), and the other way round.
Rearrange channels_to_the_end(const Dims& dims);
Rearrange channels_from_the_end(const Dims& dims);

}  // namespace benanza::onednn
