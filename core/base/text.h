#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Parsing of other programs' texts.
namespace benanza::text {

/// `text` without spaces around it, and without semicolons and carriage returns at its end.
std::string_view trimmed(std::string_view text);
/// The text between `before` and the first of the characters `ends` after it; empty if `before` is
/// not found.
std::string_view between(std::string_view text, std::string_view before, std::string_view ends);
/// The number that `text` starts with; empty if it starts with none.
std::optional<std::int64_t> integer(std::string_view text);
std::string lower_case(std::string_view text);

}  // namespace benanza::text
