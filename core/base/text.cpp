#include "core/base/text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>

namespace benanza::text {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == ';' || text.back() == '\r')) {
    text.remove_suffix(1);
  }
  while (text.starts_with(' ')) text.remove_prefix(1);
  return text;
}

std::string_view between(std::string_view text, std::string_view before, std::string_view ends) {
  const auto at = text.find(before);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + before.size());
  return text.substr(0, text.find_first_of(ends));
}

std::optional<std::int64_t> integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::optional<std::int64_t> bytes(std::string_view text) {
  constexpr std::string_view suffixes = "KMG";
  int shift = 0;
  if (const auto suffix = text.empty() ? text.npos : suffixes.find(text.back());
      suffix != suffixes.npos) {
    shift = 10 * (static_cast<int>(suffix) + 1);
    text.remove_suffix(1);
  }
  const auto value = number<std::int64_t>(text);
  if (!value || *value < 0 || *value > (std::numeric_limits<std::int64_t>::max() >> shift)) {
    return std::nullopt;
  }
  return *value << shift;
}

}  // namespace benanza::text
