#pragma once

#include <vector>

#include "core/problem/text.h"

namespace benanza {

/// The extents of tensors of equal rank that broadcast together, in the order of their axes, in as
/// few axes as possible: neighbours along which the same tensors broadcast become one, and axes of
/// one element are left out. {2x3x4, 1x3x4} -> {2x12, 1x12}.
std::vector<Dims> merge_axes(const std::vector<Dims>& tensors);

}  // namespace benanza
