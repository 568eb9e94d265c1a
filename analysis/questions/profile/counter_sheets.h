#pragma once

#include <vector>

#include "analysis/questions/profile/recorded.h"
#include "analysis/render/page.h"

namespace benanza::analysis {

/// A table of the hardware counters of kernels for every recording that has them.
std::vector<Sheet> counter_sheets(const std::vector<Recorded>& recorded);

}  // namespace benanza::analysis
