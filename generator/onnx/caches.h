#pragma once

#include <vector>

#include "generator/lowered/lowered.h"

namespace benanza::onnx {

/// Says of each product whether its second operand is kept from one run to the next
/// (Gemm::cached_b): what the caller hands in, moved at most. With rows of this run behind it, it
/// is a cache; alone, only in attention, and if it has more keys than there are queries. What this
/// run computes or converts is none. To be called when all conversions are described.
void mark_caches(std::vector<LoweredLayer>& layers);

}  // namespace benanza::onnx
