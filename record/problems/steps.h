#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace benanza::record {

/// A part of a sequence that occurs several times, not overlapping.
struct Repeated {
  std::size_t length = 0;
  std::vector<std::size_t> begins;
  std::size_t times() const { return begins.size(); }
};

/// Returns the step that most of the program's calls repeat: of all parts that occur at least twice
/// in a row and cover more than half of the calls, the one that covers the most; of equal ones, the
/// shortest.
std::optional<Repeated> repeated_step(const std::vector<std::uint32_t>& calls);

/// The same where other calls lie between the repetitions: of parts that occur twice in a row
/// somewhere and, everywhere together, cover more than half of the calls, the longest that covers
/// nine tenths of what the best one does and is no repetition itself.
std::optional<Repeated> scattered_step(const std::vector<std::uint32_t>& calls);

/// All places of a part.
Repeated occurrences(const std::vector<std::uint32_t>& calls, std::span<const std::uint32_t> part);

/// What is left without them.
std::vector<std::uint32_t> without(const std::vector<std::uint32_t>& calls, const Repeated& step);

}  // namespace benanza::record
