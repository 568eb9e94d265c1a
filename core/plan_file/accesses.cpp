#include "core/plan_file/accesses.h"

#include <algorithm>
#include <utility>

namespace benanza {
namespace {

bool meet(const Access& a, const Access& b) {
  const auto end = [](const Access& one) {
    return one.begin + static_cast<std::uintptr_t>(one.bytes);
  };
  return (a.writes || b.writes) && a.begin < end(b) && b.begin < end(a);
}

bool conflict(const std::vector<Access>& some, const std::vector<Access>& others) {
  return std::ranges::any_of(some, [&](const Access& one) {
    return std::ranges::any_of(others, [&](const Access& other) { return meet(one, other); });
  });
}

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

std::vector<std::vector<std::size_t>> dependencies(
    const std::vector<std::vector<Access>>& accesses) {
  const std::size_t steps = accesses.size();
  std::vector<std::vector<std::size_t>> direct(steps);
  // Whether the first has to wait for the second, over others or not.
  std::vector<std::vector<bool>> waits(steps, std::vector<bool>(steps, false));
  for (std::size_t step = 0; step < steps; ++step) {
    for (std::size_t earlier = step; earlier-- > 0;) {
      if (waits[step][earlier] || !conflict(accesses[step], accesses[earlier])) continue;
      direct[step].push_back(earlier);
      waits[step][earlier] = true;
      for (std::size_t before = 0; before < earlier; ++before) {
        if (waits[earlier][before]) waits[step][before] = true;
      }
    }
    std::ranges::sort(direct[step]);
  }
  return direct;
}

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
