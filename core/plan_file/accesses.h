#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace benanza {

/// Memory that a step reads or writes: addresses, or other numbers for places.
struct Access {
  std::uintptr_t begin = 0;
  std::int64_t bytes = 0;
  bool writes = false;
};

/// For each step, the earlier ones that it has to wait for, without those that others of them wait
/// for: one of the two writes what the other one reads or writes. A step may be listed with a place
/// that it shares with others, to keep them apart.
std::vector<std::vector<std::size_t>> dependencies(
    const std::vector<std::vector<Access>>& accesses);

/// For each step, whether it waits for each other one, over others or not. `after`: for each step,
/// earlier ones that it waits for.
std::vector<std::vector<bool>> all_before(const std::vector<std::vector<std::size_t>>& after);

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
