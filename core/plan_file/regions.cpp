#include "core/plan_file/regions.h"

#include "core/plan_file/accesses.h"

namespace benanza {
namespace {

/// Whether nothing runs at the same time as the step.
bool is_alone(const std::vector<std::vector<bool>>& before, std::size_t step) {
  for (std::size_t earlier = 0; earlier < step; ++earlier) {
    if (!before[step][earlier]) return false;
  }
  for (std::size_t later = step + 1; later < before.size(); ++later) {
    if (!before[later][step]) return false;
  }
  return true;
}

}  // namespace

std::vector<Region> parallel_regions(const std::vector<std::vector<std::size_t>>& after) {
  const std::vector<std::vector<bool>> before = all_before(after);
  std::vector<Region> regions;
  for (std::size_t step = 0; step < after.size(); ++step) {
    if (is_alone(before, step)) continue;
    if (regions.empty() || regions.back().end != step) regions.push_back({step, step});
    regions.back().end = step + 1;
  }
  return regions;
}

}  // namespace benanza
