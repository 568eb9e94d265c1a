#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace benanza::analysis {

/// Parses sizes: "3,6,12", or "1:512" for its ends, its powers of two and their midpoints. Throws
/// Error, naming `flag`, if they are invalid.
std::set<std::int64_t> sizes_of(const std::string& text, std::string_view flag);

/// Parses one size of at least `least`. Throws Error, naming `flag`.
std::int64_t size_of(const std::string& text, std::string_view flag, std::int64_t least = 1);

}  // namespace benanza::analysis
