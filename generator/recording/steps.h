#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace benanza::recorded {

/// A part of a sequence that is repeated without a gap.
struct Repeated {
  std::size_t begin = 0;
  std::size_t length = 0;
  std::size_t times = 0;
  std::size_t end() const { return begin + length * times; }
};

/// What most of the program's calls repeat: of all parts that follow each other at least twice and
/// hold more than half of the calls, the one that holds the most, and of those the shortest.
std::optional<Repeated> repeated_step(const std::vector<std::uint32_t>& calls);

}  // namespace benanza::recorded
