#pragma once

#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

namespace benanza {

/// The text of a JSON object of plain members, read from the front: scan_flat_object().
class FlatObjectScanner {
 public:
  explicit FlatObjectScanner(std::string_view text)
      : at_(text.data()), end_(text.data() + text.size()) {}

  template <class Reader>
  bool read(Reader& reader) {
    skip_blanks();
    if (!accept('{')) return false;
    reader.enter();
    for (bool more = true; more;) {
      skip_blanks();
      if (!read_text()) return false;
      reader.key(word_);
      skip_blanks();
      if (!accept(':')) return false;
      skip_blanks();
      if (!read_value(reader)) return false;
      skip_blanks();
      more = accept(',');
    }
    if (!accept('}')) return false;
    skip_blanks();
    reader.leave();
    return at_ == end_;
  }

 private:
  template <class Reader>
  bool read_value(Reader& reader) {
    if (at_ == end_) return false;
    switch (*at_) {
      case '"':
        if (!read_text()) return false;
        reader.text(word_);
        return true;
      case 't':
        if (!accept("true")) return false;
        reader.boolean(true);
        return true;
      case 'f':
        if (!accept("false")) return false;
        reader.boolean(false);
        return true;
      case 'n':
        return accept("null");
      case '[':
        if (std::vector<double>* numbers = reader.numbers()) return read_numbers(*numbers);
        if (!accept("[]")) return false;
        reader.enter();
        reader.leave();
        return true;
      default:
        if (!read_number()) return false;
        reader.number(word_, [&] { return value_of(word_).value_or(0); });
        return true;
    }
  }

  void skip_blanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
  }

  bool accept(char one) {
    if (at_ == end_ || *at_ != one) return false;
    ++at_;
    return true;
  }
  bool accept(std::string_view word) {
    if (!std::string_view(at_, left()).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  /// Printable ASCII without escapes, into `word_`.
  bool read_text() {
    if (!accept('"')) return false;
    const char* begin = at_;
    const void* quote = std::memchr(at_, '"', left());
    if (quote == nullptr) return false;
    at_ = static_cast<const char*>(quote);
    for (const char* c = begin; c != at_; ++c) {
      if (*c < ' ' || *c >= 0x7f || *c == '\\') return false;
    }
    word_ = {begin, at_};
    ++at_;
    return true;
  }

  /// A number by JSON's grammar that a double can hold, into `word_`.
  bool read_number() {
    const char* begin = at_;
    accept('-');
    const bool zero = at_ != end_ && *at_ == '0';
    const std::size_t whole = skip_digits();
    if (whole == 0 || (zero && whole > 1)) return false;
    if (accept('.') && skip_digits() == 0) return false;
    std::size_t exponent = 0;
    if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
      ++at_;
      if (!accept('-')) accept('+');
      exponent = skip_digits();
      if (exponent == 0) return false;
    }
    word_ = {begin, at_};
    // Most numbers are passed over. From 1e-199 to 1e199 nothing has to be converted to know that
    // it can be.
    const bool moderate = exponent <= 2 && word_.size() < 100;
    return moderate || value_of(word_).has_value();
  }

  /// A list of numbers, some of which from_chars() reads and JSON's grammar does not allow.
  bool read_numbers(std::vector<double>& numbers) {
    accept('[');
    const void* close = std::memchr(at_, ']', left());
    if (close == nullptr || !numbers.empty()) return false;
    const char* const list_end = static_cast<const char*>(close);
    // Written to the last digit they take some twenty characters each.
    numbers.reserve(static_cast<std::size_t>(list_end - at_) / 18 + 1);
    skip_blanks();
    for (bool more = at_ != list_end; more;) {
      if (*at_ != '-' && (*at_ < '0' || '9' < *at_)) return false;
      double value = 0;
      const auto [after, error] = std::from_chars(at_, list_end, value);
      if (error != std::errc{}) return false;
      numbers.push_back(value);
      at_ = after;
      skip_blanks();
      more = accept(',');
      skip_blanks();
    }
    return accept(']');
  }

  static std::optional<double> value_of(std::string_view text) {
    double value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
    return value;
  }

  std::size_t skip_digits() {
    const char* begin = at_;
    while (at_ != end_ && '0' <= *at_ && *at_ <= '9') ++at_;
    return static_cast<std::size_t>(at_ - begin);
  }

  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

  const char* at_;
  const char* end_;
  std::string_view word_;
};

/// Gives a JSON object of plain members to a reader, many times faster than a parser of all JSON:
/// texts without escapes and of ASCII alone, numbers, true, false, and empty lists; null is passed
/// over. False for everything else, valid or not: what the reader was told then means nothing, and
/// the parser has to decide. The reader has
///   enter(), leave()          at the brackets of the object and of an empty list
///   key(text)                 the name of the member that follows
///   text(text), boolean(flag)
///   number(text, value)       value() converts it
///   numbers()                 where the numbers of the member's list go; nullptr: only an empty
///   list
template <class Reader>
bool scan_flat_object(std::string_view text, Reader& reader) {
  return FlatObjectScanner(text).read(reader);
}

}  // namespace benanza
