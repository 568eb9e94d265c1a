#pragma once

#include <vector>

#include "generator/lowered/lowered.h"

namespace benanza::fusion {

/// The tensors between layers whose operators have a channel order: every output of rank 3 and more
/// that a convolution, pooling, normalisation or transposed convolution writes or reads, and the
/// images that such layers get from outside. A transform is no problem where both orders are the
/// same (one channel, or one position).
std::vector<LayoutTransform> layout_transforms(const std::vector<LoweredLayer>& layers);

}  // namespace benanza::fusion
