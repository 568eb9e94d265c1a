#pragma once

#include <vector>

#include "core/plan_file/plan.h"
#include "core/plan_file/regions.h"

namespace benanza::analysis {

/// Of the plan's steps, by the tensors that they read and write.
std::vector<Region> regions_of(const Plan& plan);

/// Keeps what the steps of a region work on until its last step, so that memory that is used again
/// keeps none of them waiting, and places all buffers anew: more memory.
void keep_regions(Plan& plan);

}  // namespace benanza::analysis
