#include "core/plan_file/regions.h"

namespace benanza {
std::vector<std::vector<bool>> all_before(const std::vector<std::vector<std::size_t>>& after) {
  std::vector<std::vector<bool>> before;
  for (std::size_t step = 0; step < after.size(); ++step) {
    std::vector<bool> own(after.size(), false);
    for (const std::size_t direct : after[step]) {
      own[direct] = true;
      for (std::size_t earlier = 0; earlier < direct; ++earlier) {
        if (before[direct][earlier]) own[earlier] = true;
      }
    }
    before.push_back(std::move(own));
  }
  return before;
}

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
