#include "analysis/profiles/file/json_scan.h"

#include <algorithm>
#include <cctype>
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

constexpr std::string_view replacement = "\xef\xbf\xbd";

/// Members that Chrome's format names: text that has one is more than one string.
bool has_member(std::string_view text) {
  for (const std::string_view name : {"ph", "cat", "name", "pid", "tid", "ts", "dur", "args"}) {
    for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
      if (at == 0 || text[at - 1] != '"') continue;
      const std::string_view rest = text.substr(at + name.size());
      if (!rest.starts_with('"')) continue;
      const std::size_t colon = skip_space(rest, 1);
      if (colon < rest.size() && rest[colon] == ':') return true;
    }
  }
  return false;
}

/// Length of the UTF-8 sequence at the start of `text`; 0 if there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t at) -> unsigned {
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
  };
  const auto follows = [&](std::size_t at, unsigned low = 0x80, unsigned high = 0xbf) {
    return byte(at) >= low && byte(at) <= high;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const bool fits = follows(1, first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf);
    return fits && follows(2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const bool fits = follows(1, first == 0xf0 ? 0x90 : 0x80, first == 0xf4 ? 0x8f : 0xbf);
    return fits && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

/// The four digits of \uXXXX at the start of `text`; empty if it is none.
std::optional<unsigned> escaped_unit(std::string_view text) {
  if (text.size() < 6 || !text.starts_with("\\u")) return std::nullopt;
  const std::string digits(text.substr(2, 4));
  if (!std::ranges::all_of(digits, [](unsigned char one) { return std::isxdigit(one) != 0; })) {
    return std::nullopt;
  }
  return static_cast<unsigned>(std::stoul(digits, nullptr, 16));
}

class Rewriter {
 public:
  Rewriter(std::string_view text, std::span<const std::size_t> inner, Repairs& repairs)
      : text_(text), inner_(inner), repairs_(repairs) {}

  std::string rewrite() {
    while (at_ < text_.size()) {
      if (text_[at_] == '"') {
        take(1);
        string();
      } else if (std::string_view(",:{}[] \n\r\t").find(text_[at_]) != text_.npos) {
        take(1);
      } else {
        scalar();
      }
    }
    return std::move(out_);
  }

 private:
  void take(std::size_t bytes) {
    out_ += text_.substr(at_, bytes);
    at_ += bytes;
  }
  void replace(std::size_t bytes, std::string_view by, std::string_view what) {
    out_ += by;
    at_ += bytes;
    ++repairs_[what];
  }

  void string() {
    while (at_ < text_.size()) {
      const auto letter = static_cast<unsigned char>(text_[at_]);
      if (letter == '"' && std::ranges::binary_search(inner_, at_)) {
        replace(1, "\\\"", "unescaped quotes");
      } else if (letter == '"') {
        return take(1);
      } else if (letter == '\\') {
        escape();
      } else if (letter < 0x20) {
        constexpr std::string_view digits = "0123456789abcdef";
        replace(1, std::string("\\u00") + digits[letter / 16] + digits[letter % 16],
                "control characters");
      } else if (const std::size_t length = utf8_length(text_.substr(at_)); length > 0) {
        take(length);
      } else {
        replace(1, replacement, "bytes that are no UTF-8");
      }
    }
  }

  void escape() {
    const std::string_view rest = text_.substr(at_);
    if (const auto unit = escaped_unit(rest)) {
      const bool is_first = *unit >= 0xd800 && *unit <= 0xdbff;
      const bool is_second = *unit >= 0xdc00 && *unit <= 0xdfff;
      if (!is_first && !is_second) return take(6);
      const auto next = escaped_unit(rest.substr(6));
      if (is_first && next && *next >= 0xdc00 && *next <= 0xdfff) return take(12);
      return replace(6, replacement, "half characters");
    }
    const bool is_known =
        rest.size() > 1 && std::string_view("\"\\/bfnrt").find(rest[1]) != std::string_view::npos;
    if (is_known) return take(2);
    replace(1, "\\\\", "single backslashes");
  }

  void scalar() {
    std::size_t end = at_;
    while (end < text_.size() &&
           std::string_view(",:{}[]\" \n\r\t").find(text_[end]) == std::string_view::npos) {
      ++end;
    }
    std::string word(text_.substr(at_, end - at_));
    std::ranges::transform(word, word.begin(),
                           [](unsigned char one) { return static_cast<char>(std::tolower(one)); });
    const std::string_view bare =
        word.starts_with('-') || word.starts_with('+') ? std::string_view(word).substr(1) : word;
    if (bare.starts_with("nan") || bare == "inf" || bare == "infinity" || bare.starts_with("1.#")) {
      return replace(word.size(), "null", "numbers that are none (NaN, Infinity)");
    }
    constexpr std::size_t most_digits = 18;
    const bool is_long =
        bare.size() > most_digits && bare.find_first_not_of("0123456789") == std::string_view::npos;
    take(word.size());
    // Beyond 64 bits, a whole number is read as a real one.
    if (is_long) out_ += "e0";
  }

  std::string_view text_;
  std::span<const std::size_t> inner_;
  Repairs& repairs_;
  std::string out_;
  std::size_t at_ = 0;
};

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

std::optional<std::vector<std::size_t>> unescaped_quotes(std::string_view text, std::size_t& end,
                                                         bool (*may_follow)(std::string_view)) {
  constexpr std::size_t most = 1000;
  std::vector<std::size_t> inner;
  while (inner.size() < most) {
    const ScannedValue scanned = scan_value(text, inner);
    if (scanned.state == ScannedValue::State::incomplete) return std::nullopt;
    if (scanned.state == ScannedValue::State::complete && may_follow(text.substr(scanned.at))) {
      for (const std::size_t quote : inner) {
        // What is between this quote and the string's end would be swallowed.
        std::size_t last = text.find('"', quote + 1);
        while (std::ranges::binary_search(inner, last)) last = text.find('"', last + 1);
        const std::size_t behind = skip_space(text, last + 1);
        const bool is_name = behind < text.size() && text[behind] == ':';
        if (is_name || has_member(text.substr(quote, last - quote))) return std::nullopt;
      }
      end = scanned.at;
      return inner;
    }
    // The string went on behind the quote that ended it.
    if (!scanned.last_end || (!inner.empty() && *scanned.last_end < inner.back())) {
      return std::nullopt;
    }
    inner.push_back(*scanned.last_end);
  }
  return std::nullopt;
}

std::string repaired(std::string_view text, std::span<const std::size_t> inner, Repairs& repairs) {
  return Rewriter(text, inner, repairs).rewrite();
}

}  // namespace benanza::analysis
