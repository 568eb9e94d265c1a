#include "core/problem/text.h"

#include <charconv>
#include <cmath>
#include <stdexcept>
#include <system_error>

namespace benanza {
namespace {

template <class Number>
bool parse_whole(std::string_view text, Number& value) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && stop == end && !text.empty();
}

}  // namespace

std::int64_t element_count(const Dims& dims) {
  std::int64_t count = 1;
  for (const std::int64_t extent : dims) count *= extent;
  return count;
}

std::string join(const Dims& dims, char separator) {
  if (dims.empty()) return "1";
  std::string text;
  for (const std::int64_t extent : dims) {
    if (!text.empty()) text += separator;
    text += std::to_string(extent);
  }
  return text;
}

std::string number(float value) {
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  return error == std::errc{} ? std::string(buffer, end) : std::string("nan");
}

void KeyWriter::begin_field(std::string_view prefix) {
  if (!first_) text_ += '_';
  first_ = false;
  text_ += prefix;
}

KeyWriter& KeyWriter::dims(std::string_view prefix, const Dims& values, char separator) {
  begin_field(prefix);
  text_ += join(values, separator);
  return *this;
}

KeyWriter& KeyWriter::integer(std::string_view prefix, std::int64_t value) {
  begin_field(prefix);
  text_ += std::to_string(value);
  return *this;
}

KeyWriter& KeyWriter::real(std::string_view prefix, float value) {
  begin_field(prefix);
  text_ += number(value);
  return *this;
}

KeyWriter& KeyWriter::word(std::string_view text) {
  begin_field(text);
  return *this;
}

KeyReader::KeyReader(std::string_view key) : key_(key) {
  const std::size_t slash = key.find('/');
  if (slash == 0 || slash == std::string_view::npos || slash + 1 == key.size()) fail("op/fields");
  op_ = key.substr(0, slash);
  rest_ = key.substr(slash + 1);
}

void KeyReader::fail(std::string_view wanted) const {
  throw std::invalid_argument("problem \"" + std::string(key_) + "\": expected " +
                              std::string(wanted) + " at \"" + std::string(rest_) + "\"");
}

std::string_view KeyReader::take(std::string_view prefix, std::string_view wanted) {
  if (!next_is(prefix) || rest_.empty()) fail(wanted);
  const std::size_t end = rest_.find('_');
  const std::string_view field = rest_.substr(0, end);
  if (end != std::string_view::npos && end + 1 == rest_.size()) fail(wanted);
  rest_ = end == std::string_view::npos ? std::string_view{} : rest_.substr(end + 1);
  return field.substr(prefix.size());
}

Dims KeyReader::dims(std::string_view prefix, char separator) {
  const KeyReader before = *this;
  std::string_view text = take(prefix, "numbers");
  Dims values;
  while (true) {
    const std::size_t end = text.find(separator);
    std::int64_t value = 0;
    if (!parse_whole(text.substr(0, end), value)) {
      before.fail(std::string(prefix) + "<numbers separated by '" + separator + "'>");
    }
    values.push_back(value);
    if (end == std::string_view::npos) return values;
    text.remove_prefix(end + 1);
  }
}

std::int64_t KeyReader::integer(std::string_view prefix) {
  const KeyReader before = *this;
  std::int64_t value = 0;
  if (!parse_whole(take(prefix, "an integer"), value)) {
    before.fail(std::string(prefix) + "<integer>");
  }
  return value;
}

float KeyReader::real(std::string_view prefix) {
  const KeyReader before = *this;
  float value = 0;
  if (!parse_whole(take(prefix, "a number"), value)) before.fail(std::string(prefix) + "<number>");
  return value;
}

std::string_view KeyReader::word() { return take("", "a word"); }

bool KeyReader::accept(std::string_view text) {
  if (rest_.substr(0, rest_.find('_')) != text) return false;
  take(text, text);
  return true;
}

bool KeyReader::next_is(std::string_view prefix) const {
  return rest_.substr(0, prefix.size()) == prefix;
}

bool KeyReader::next_is_number(std::string_view prefix) const {
  constexpr std::string_view digits = "-0123456789";
  return next_is(prefix) && rest_.size() > prefix.size() &&
         digits.find(rest_[prefix.size()]) != std::string_view::npos;
}

}  // namespace benanza
