#pragma once

#include <vector>

#include "generator/lowered/lowered.h"

namespace benanza::fusion {

/// Returns the layout transforms between layers whose operators have a channel order: of every
/// output of rank 3 or more that a convolution, pooling, normalization or transposed convolution
/// writes or reads, and of the images that such layers read from outside. A transform has no
/// problem if both orders are the same (one channel, or one position).
std::vector<LayoutTransform> layout_transforms(const std::vector<LoweredLayer>& layers);

}  // namespace benanza::fusion
