#pragma once

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

namespace benanza {

/// Does `text` follow JSON's grammar of numbers?
inline bool is_json_number(std::string_view text) {
  const auto digits = [&] {
    const auto end = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(end);
    return end;
  };
  if (text.starts_with('-')) text.remove_prefix(1);
  const bool zero = text.starts_with('0');
  const std::size_t whole = digits();
  if (whole == 0 || (zero && whole > 1)) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (digits() == 0) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (digits() == 0) return false;
  }
  return text.empty();
}

/// Gives a JSON object of plain members to a reader with nlohmann-json's events, several times
/// faster than its parser: texts without escapes and of ASCII alone, numbers (all as number_float),
/// true, false, null, and empty lists. False for everything else, valid or not: the events so far
/// then mean nothing, and the parser has to decide.
template <class Reader>
bool scan_flat_object(std::string_view text, Reader& reader) {
  std::size_t at = 0;
  const auto skip_blanks = [&] {
    at = std::min(text.find_first_not_of(" \n\r\t", at), text.size());
  };
  const auto accept = [&](std::string_view word) {
    if (text.compare(at, word.size(), word) != 0) return false;
    at += word.size();
    return true;
  };
  std::string word;
  const auto read_text = [&] {
    if (!accept("\"")) return false;
    const auto end = text.find('"', at);
    if (end == std::string_view::npos) return false;
    word.assign(text, at, end - at);
    at = end + 1;
    return std::all_of(word.begin(), word.end(),
                       [](char c) { return c >= ' ' && c < 0x7f && c != '\\'; });
  };
  const auto read_number = [&] {
    const auto end = std::min(text.find_first_not_of("+-.0123456789eE", at), text.size());
    word.assign(text, at, end - at);
    at = end;
    double value = 0;
    const char* last = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), last, value);
    return is_json_number(word) && error == std::errc{} && stop == last &&
           reader.number_float(value, word);
  };
  const auto read_value = [&] {
    if (at == text.size()) return false;
    switch (text[at]) {
      case '"':
        return read_text() && reader.string(word);
      case 't':
        return accept("true") && reader.boolean(true);
      case 'f':
        return accept("false") && reader.boolean(false);
      case 'n':
        return accept("null") && reader.null();
      case '[':
        return accept("[]") && reader.start_array(0) && reader.end_array();
      default:
        return read_number();
    }
  };
  skip_blanks();
  if (!accept("{") || !reader.start_object(0)) return false;
  for (bool more = true; more;) {
    skip_blanks();
    if (!read_text() || !reader.key(word)) return false;
    skip_blanks();
    if (!accept(":")) return false;
    skip_blanks();
    if (!read_value()) return false;
    skip_blanks();
    more = accept(",");
  }
  if (!accept("}")) return false;
  skip_blanks();
  return at == text.size() && reader.end_object();
}

}  // namespace benanza
