#pragma once

#include <vector>

#include "analysis/questions/profile/recorded.h"
#include "analysis/render/page.h"

namespace benanza::analysis {

/// A table for every recording that has them: hardware counters of kernels; memory that was held.
std::vector<Sheet> counter_sheets(const std::vector<Recorded>& recorded);
std::vector<Sheet> memory_sheets(const std::vector<Recorded>& recorded);

}  // namespace benanza::analysis
