#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace benanza::analysis {

/// Where a JSON value ends, or why that is not known.
struct ScannedValue {
  enum class State { complete, incomplete, broken };
  State state = State::complete;
  /// One past the value's end; of a broken one, what cannot stand there.
  std::size_t at = 0;
  /// Of a broken one: what was expected.
  std::string_view expected{};
  /// The last quote before `at` that ended a string, other than the name of a member.
  std::optional<std::size_t> last_end{};
};

/// Returns the first position from `at` on that is no whitespace.
std::size_t skip_space(std::string_view text, std::size_t at);

/// Finds the end of the value that `text` starts with by its structure alone: what strings and
/// numbers hold is not looked at. `inner`, sorted, are quotes that neither start nor end a string.
ScannedValue scan_value(std::string_view text, std::span<const std::size_t> inner = {});

}  // namespace benanza::analysis
