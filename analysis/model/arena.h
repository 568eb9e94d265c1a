#pragma once

#include <cstdint>
#include <vector>

#include "core/plan_file/plan.h"

namespace benanza::analysis {

/// The alignment of buffers in an arena, in bytes: that of cudaMalloc.
inline constexpr std::int64_t arena_alignment = 256;

/// Sets the offsets of the buffers so that no two that are needed at a time overlap: the largest
/// first, each at the lowest place that is free (as in Y. Pisarchyk, J. Lee, "Efficient Memory
/// Management for Deep Neural Net Inference", 2020, greedy by size). Returns the arena's bytes.
std::int64_t place_buffers(std::vector<PlanBuffer>& buffers);

}  // namespace benanza::analysis
