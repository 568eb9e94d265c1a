#include "analysis/profiles/file/json_scan.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace benanza::analysis {
namespace {

bool is_space(char letter) {
  return letter == ' ' || letter == '\n' || letter == '\r' || letter == '\t';
}

bool ends_scalar(char letter) {
  return is_space(letter) || std::strchr(",:{}[]\"", letter) != nullptr;
}

/// The quote that ends the string whose text starts at `at`; npos if there is none.
std::size_t end_of_string(std::string_view text, std::size_t at,
                          std::span<const std::size_t> inner) {
  for (std::size_t from = at;; ++from) {
    from = text.find('"', from);
    if (from == text.npos) return from;
    std::size_t first = from;
    while (first > at && text[first - 1] == '\\') --first;
    if ((from - first) % 2 == 0 && !std::ranges::binary_search(inner, from)) return from;
  }
}

enum class Next { value, value_or_end, key, key_or_end, colon, comma_or_end };

std::string_view name_of(Next next, bool in_object) {
  switch (next) {
    case Next::key:
    case Next::key_or_end:
      return "a member's name in quotes";
    case Next::colon:
      return "a colon";
    case Next::comma_or_end:
      return in_object ? "a comma or }" : "a comma or ]";
    default:
      return "a value";
  }
}

}  // namespace

std::size_t skip_space(std::string_view text, std::size_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

ScannedValue scan_value(std::string_view text, std::span<const std::size_t> inner) {
  std::string open;
  std::optional<std::size_t> last_end;
  Next next = Next::value;
  std::size_t at = 0;
  const auto result = [&](ScannedValue::State state) {
    return ScannedValue{state, at, name_of(next, !open.empty() && open.back() == '{'), last_end};
  };
  while (true) {
    at = skip_space(text, at);
    if (at >= text.size()) return result(ScannedValue::State::incomplete);
    const char letter = text[at];
    const bool wants_value = next == Next::value || next == Next::value_or_end;
    const bool wants_key = next == Next::key || next == Next::key_or_end;
    bool is_done = false;
    if (letter == '"' && (wants_value || wants_key)) {
      const std::size_t end = end_of_string(text, at + 1, inner);
      if (end == text.npos) return result(ScannedValue::State::incomplete);
      if (wants_value) last_end = end;
      at = end + 1;
      next = wants_key ? Next::colon : Next::comma_or_end;
      is_done = wants_value;
    } else if ((letter == '{' || letter == '[') && wants_value) {
      open += letter;
      next = letter == '{' ? Next::key_or_end : Next::value_or_end;
      ++at;
    } else if (letter == '}' || letter == ']') {
      const bool fits = !open.empty() && open.back() == (letter == '}' ? '{' : '[');
      const bool may_end =
          next == Next::comma_or_end || next == Next::value_or_end || next == Next::key_or_end;
      if (!fits || !may_end) return result(ScannedValue::State::broken);
      open.pop_back();
      next = Next::comma_or_end;
      is_done = true;
      ++at;
    } else if (letter == ',' && next == Next::comma_or_end) {
      next = open.back() == '{' ? Next::key : Next::value;
      ++at;
    } else if (letter == ':' && next == Next::colon) {
      next = Next::value;
      ++at;
    } else if (wants_value && !ends_scalar(letter)) {
      while (at < text.size() && !ends_scalar(text[at])) ++at;
      if (at >= text.size()) return result(ScannedValue::State::incomplete);
      next = Next::comma_or_end;
      is_done = true;
    } else {
      return result(ScannedValue::State::broken);
    }
    if (is_done && open.empty()) return result(ScannedValue::State::complete);
  }
}

}  // namespace benanza::analysis
