#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

/// Parsing of texts.
namespace benanza::text {

/// `text` without spaces around it, and without semicolons and carriage returns at its end.
std::string_view trimmed(std::string_view text);
/// The text between `before` and the first of the characters `ends` after it; empty if `before` is
/// not found.
std::string_view between(std::string_view text, std::string_view before, std::string_view ends);
/// The number that `text` starts with; empty if it starts with none.
std::optional<std::int64_t> integer(std::string_view text);
std::string lower_case(std::string_view text);
/// The bytes of "4096", "64K", "512M" or "2G"; empty for other texts and for too many.
std::optional<std::int64_t> bytes(std::string_view text);

/// The number that all of `text` is; empty if it is none that fits.
template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The parts between separators, one more than there are separators.
template <class Part = std::string_view>
std::vector<Part> split(std::string_view text, char separator) {
  std::vector<Part> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// The parts with the separator between them.
template <class Parts>
std::string join(const Parts& parts, std::string_view separator) {
  std::string text;
  for (const auto& part : parts) {
    if (!text.empty()) text += separator;
    text += part;
  }
  return text;
}

}  // namespace benanza::text
