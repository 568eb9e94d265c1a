#pragma once

#include <cstddef>
#include <vector>

namespace benanza {

/// Steps [first, end) of which some need not wait for each other, between steps for which all later
/// ones wait and which wait for all earlier ones.
struct Region {
  std::size_t first = 0;
  std::size_t end = 0;
  bool operator==(const Region&) const = default;
};

/// In order. `after`: for each step, earlier ones that it waits for.
std::vector<Region> parallel_regions(const std::vector<std::vector<std::size_t>>& after);

}  // namespace benanza
