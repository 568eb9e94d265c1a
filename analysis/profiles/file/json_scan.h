#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

/// What was wrong with a text ("unescaped quotes") and how often.
using Repairs = std::map<std::string_view, std::size_t>;

/// Returns the quotes within strings of the value that `text` starts with that lack their
/// backslash, and sets `end` to one past the value. Empty if they cannot be told apart from those
/// that end strings. `may_follow(rest)` says whether `rest` can stand behind the value.
std::optional<std::vector<std::size_t>> unescaped_quotes(std::string_view text, std::size_t& end,
                                                         bool (*may_follow)(std::string_view rest));

/// Returns the value `text` as JSON, with what is certain put right and added to `repairs`: the
/// quotes `inner` and single backslashes get a backslash, control characters are escaped, bytes
/// that are no UTF-8 and single surrogates become U+FFFD, numbers that are none (NaN, Infinity)
/// become null. The structure of `text` is sound, as scan_value() says.
std::string repaired(std::string_view text, std::span<const std::size_t> inner, Repairs& repairs);

}  // namespace benanza::analysis
