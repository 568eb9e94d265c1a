#pragma once

#include <cstddef>
#include <vector>

#include "core/plan_file/accesses.h"
#include "suites/harness/task.h"

namespace benanza::plan {

/// In order. `tasks` are in topological order.
std::vector<Region> parallel_regions(const std::vector<harness::Task>& tasks);

/// Those of `regions`, which are some of parallel_regions() in order, as they are; all others one
/// after the other, those between two regions as one task.
std::vector<harness::Task> tasks_with(const std::vector<harness::Task>& tasks,
                                      const std::vector<Region>& regions);

}  // namespace benanza::plan
