#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/plan_file/plan.h"

namespace benanza::analysis {

/// The alignment of buffers in an arena, in bytes: that of cudaMalloc.
inline constexpr std::int64_t arena_alignment = 256;

/// Whether one of them is needed while the other is, with steps in order.
bool meet(const PlanBuffer& a, const PlanBuffer& b);

/// Whether two buffers, by their numbers, must not overlap.
using ShareNoPlace = std::function<bool(std::size_t, std::size_t)>;

/// Sets the offsets of the buffers so that no two overlap that `share_no_place`; null: that meet().
/// The largest first, each at the lowest place that is free (as in Y. Pisarchyk, J. Lee, "Efficient
/// Memory Management for Deep Neural Net Inference", 2020, greedy by size). Returns the arena's
/// bytes.
std::int64_t place_buffers(std::vector<PlanBuffer>& buffers,
                           const ShareNoPlace& share_no_place = nullptr);

}  // namespace benanza::analysis
