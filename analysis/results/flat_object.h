#pragma once

#include <charconv>
#include <cstring>
#include <string>
#include <string_view>

namespace benanza {

/// The text of a JSON object of plain members, read from the front: scan_flat_object().
class FlatObjectScanner {
 public:
  explicit FlatObjectScanner(std::string_view text)
      : at_(text.data()), end_(text.data() + text.size()) {}

  template <class Reader>
  bool read(Reader& reader) {
    skip_blanks();
    if (!accept("{") || !reader.start_object(0)) return false;
    for (bool more = true; more;) {
      skip_blanks();
      if (!read_text() || !reader.key(word_)) return false;
      skip_blanks();
      if (!accept(":")) return false;
      skip_blanks();
      if (!read_value(reader)) return false;
      skip_blanks();
      more = accept(",");
    }
    if (!accept("}")) return false;
    skip_blanks();
    return at_ == end_ && reader.end_object();
  }

 private:
  template <class Reader>
  bool read_value(Reader& reader) {
    if (at_ == end_) return false;
    switch (*at_) {
      case '"':
        return read_text() && reader.string(word_);
      case 't':
        return accept("true") && reader.boolean(true);
      case 'f':
        return accept("false") && reader.boolean(false);
      case 'n':
        return accept("null") && reader.null();
      case '[':
        return accept("[]") && reader.start_array(0) && reader.end_array();
      default:
        return read_number() && reader.number_float(number_, word_);
    }
  }

  void skip_blanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
  }

  bool accept(std::string_view word) {
    if (!std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(word)) {
      return false;
    }
    at_ += word.size();
    return true;
  }

  /// Printable ASCII without escapes, into `word_`.
  bool read_text() {
    if (!accept("\"")) return false;
    const char* begin = at_;
    const void* quote = std::memchr(at_, '"', static_cast<std::size_t>(end_ - at_));
    if (quote == nullptr) return false;
    at_ = static_cast<const char*>(quote);
    for (const char* c = begin; c != at_; ++c) {
      if (*c < ' ' || *c >= 0x7f || *c == '\\') return false;
    }
    word_.assign(begin, at_);
    ++at_;
    return true;
  }

  /// A number by JSON's grammar, into `word_` and `number_`.
  bool read_number() {
    const char* begin = at_;
    accept("-");
    const bool zero = at_ != end_ && *at_ == '0';
    const std::size_t whole = skip_digits();
    if (whole == 0 || (zero && whole > 1)) return false;
    if (accept(".") && skip_digits() == 0) return false;
    if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
      ++at_;
      if (!accept("-")) accept("+");
      if (skip_digits() == 0) return false;
    }
    word_.assign(begin, at_);
    const auto [stop, error] = std::from_chars(begin, at_, number_);
    return error == std::errc{} && stop == at_;
  }

  std::size_t skip_digits() {
    const char* begin = at_;
    while (at_ != end_ && '0' <= *at_ && *at_ <= '9') ++at_;
    return static_cast<std::size_t>(at_ - begin);
  }

  const char* at_;
  const char* end_;
  std::string word_;
  double number_ = 0;
};

/// Gives a JSON object of plain members to a reader with nlohmann-json's events, many times faster
/// than its parser: texts without escapes and of ASCII alone, numbers (all as number_float), true,
/// false, null, and empty lists. False for everything else, valid or not: the events so far then
/// mean nothing, and the parser has to decide.
template <class Reader>
bool scan_flat_object(std::string_view text, Reader& reader) {
  return FlatObjectScanner(text).read(reader);
}

}  // namespace benanza
