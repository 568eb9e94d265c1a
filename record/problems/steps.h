#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace benanza::record {

/// A part of a sequence that is repeated without gaps.
struct Repeated {
  std::size_t begin = 0;
  std::size_t length = 0;
  std::size_t times = 0;
  std::size_t end() const { return begin + length * times; }
};

/// Returns the step that most of the program's calls repeat: of all parts that occur at least twice
/// in a row and cover more than half of the calls, the one that covers the most; of equal ones, the
/// shortest.
std::optional<Repeated> repeated_step(const std::vector<std::uint32_t>& calls);

}  // namespace benanza::record
