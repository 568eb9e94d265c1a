#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace benanza::plan {

/// Memory that a step reads or writes.
struct Access {
  const std::byte* begin = nullptr;
  std::int64_t bytes = 0;
  bool writes = false;
};

/// For each step, the earlier ones that it has to wait for, without those that others of them wait
/// for: one of the two writes what the other one reads or writes. A step may be listed with a place
/// that it shares with others, to keep them apart.
std::vector<std::vector<std::size_t>> dependencies(
    const std::vector<std::vector<Access>>& accesses);

}  // namespace benanza::plan
