#include "core/problem/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

namespace benanza {
namespace {

/// Returns the error of reading all of `text`.
template <class Number>
std::errc parse_whole(std::string_view text, Number& value) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && stop != end ? std::errc::invalid_argument : error;
}

std::int64_t within(std::int64_t value) { return std::clamp(value, -saturated, saturated); }

}  // namespace

std::int64_t saturated_product(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  const bool overflows = __builtin_mul_overflow(a, b, &product);
  if (overflows) return (a < 0) == (b < 0) ? saturated : -saturated;
  return within(product);
}

std::int64_t saturated_sum(std::int64_t a, std::int64_t b) { return within(within(a) + within(b)); }

std::int64_t element_count(const Dims& dims) {
  std::int64_t count = 1;
  for (const std::int64_t extent : dims) count = saturated_product(count, extent);
  return count;
}

double real_count(const Dims& dims) {
  double count = 1;
  for (const std::int64_t extent : dims) count *= static_cast<double>(extent);
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

bool broadcasts_to(const Dims& y, const Dims& output) {
  if (y.size() != output.size()) return false;
  for (std::size_t axis = 0; axis < y.size(); ++axis) {
    if (y[axis] != 1 && y[axis] != output[axis]) return false;
  }
  return true;
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

void KeyReader::too_large(std::string_view what) const {
  throw TooLarge("problem \"" + std::string(key_) + "\": too large: " + std::string(what));
}

std::int64_t KeyReader::number_in(std::string_view text, std::string_view prefix,
                                  std::string_view wanted) const {
  std::int64_t value = 0;
  const std::errc error = parse_whole(text, value);
  if (error == std::errc::invalid_argument) fail(std::string(prefix) + std::string(wanted));
  if (error != std::errc{} || value > most_elements || value < -most_elements) {
    too_large(std::string(text) + " in the field " +
              (prefix.empty() ? "of extents" : '"' + std::string(prefix) + '"') +
              " is beyond 2^48");
  }
  return value;
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
  return numbers(prefix, separator, 2 * most_axes, "more than 64 axes");
}

Dims KeyReader::list(std::string_view prefix) {
  return numbers(prefix, 'x', most_listed, "more than 4096 numbers");
}

Dims KeyReader::numbers(std::string_view prefix, char separator, std::size_t most,
                        std::string_view beyond) {
  const KeyReader before = *this;
  std::string_view text = take(prefix, "numbers");
  const std::string_view wanted =
      separator == '.' ? "<numbers separated by '.'>" : "<numbers separated by 'x'>";
  Dims values;
  while (true) {
    const std::size_t end = text.find(separator);
    values.push_back(before.number_in(text.substr(0, end), prefix, wanted));
    if (values.size() > most) before.too_large(beyond);
    if (end == std::string_view::npos) return values;
    text.remove_prefix(end + 1);
  }
}

std::int64_t KeyReader::integer(std::string_view prefix) {
  const KeyReader before = *this;
  return before.number_in(take(prefix, "an integer"), prefix, "<integer>");
}

float KeyReader::real(std::string_view prefix) {
  const KeyReader before = *this;
  const float value = limit(prefix);
  if (!std::isfinite(value)) before.fail(std::string(prefix) + "<finite number>");
  return value;
}

float KeyReader::limit(std::string_view prefix) {
  const KeyReader before = *this;
  float value = 0;
  const std::errc error = parse_whole(take(prefix, "a number"), value);
  if (error != std::errc{} || std::isnan(value)) before.fail(std::string(prefix) + "<number>");
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

std::vector<Dims> merge_axes(const std::vector<Dims>& tensors) {
  std::vector<Dims> merged(tensors.size());
  std::vector<bool> last;
  for (std::size_t axis = 0; axis < tensors.front().size(); ++axis) {
    std::vector<bool> broadcast;
    for (const Dims& dims : tensors) broadcast.push_back(dims[axis] == 1);
    if (std::ranges::find(broadcast, false) == broadcast.end()) continue;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      if (broadcast != last) merged[i].push_back(1);
      merged[i].back() *= tensors[i][axis];
    }
    last = std::move(broadcast);
  }
  return merged;
}

KeyFields& KeyFields::dims(std::string_view prefix, Dims& values, char separator) {
  if (reader_ != nullptr) {
    values = reader_->dims(prefix, separator);
  } else {
    writer_->dims(prefix, values, separator);
  }
  return *this;
}

KeyFields& KeyFields::list(std::string_view prefix, Dims& values) {
  if (reader_ == nullptr) return dims(prefix, values);
  values = reader_->list(prefix);
  return *this;
}

KeyFields& KeyFields::numbers(std::string_view prefix, std::initializer_list<std::int64_t*> values,
                              std::string_view wanted) {
  Dims all;
  for (const std::int64_t* value : values) all.push_back(*value);
  dims(prefix, all).require(all.size() == values.size(), wanted);
  if (reader_ != nullptr) {
    for (std::size_t place = 0; place < all.size(); ++place) *values.begin()[place] = all[place];
  }
  return *this;
}

KeyFields& KeyFields::integer(std::string_view prefix, std::int64_t& value) {
  if (reader_ != nullptr) {
    value = reader_->integer(prefix);
  } else {
    writer_->integer(prefix, value);
  }
  return *this;
}

KeyFields& KeyFields::real(std::string_view prefix, float& value) {
  if (reader_ == nullptr) return limit(prefix, value);
  value = reader_->real(prefix);
  return *this;
}

KeyFields& KeyFields::limit(std::string_view prefix, float& value) {
  if (reader_ != nullptr) {
    value = reader_->limit(prefix);
  } else {
    writer_->real(prefix, value);
  }
  return *this;
}

KeyFields& KeyFields::word(std::string& text) {
  if (reader_ != nullptr) {
    text = reader_->word();
  } else {
    writer_->word(text);
  }
  return *this;
}

KeyFields& KeyFields::flag(std::string_view text, bool& value) {
  if (reader_ != nullptr) {
    value = reader_->accept(text);
  } else if (value) {
    writer_->word(text);
  }
  return *this;
}

bool KeyFields::has(std::string_view prefix, bool is_there) const {
  return reader_ != nullptr ? reader_->next_is_number(prefix) : is_there;
}

KeyFields& KeyFields::require(bool holds, std::string_view wanted) {
  if (reader_ != nullptr && !holds) reader_->fail(wanted);
  return *this;
}

std::size_t KeyFields::choose(std::initializer_list<std::string_view> words, std::size_t place,
                              std::string_view wanted) {
  if (reader_ == nullptr) {
    writer_->word(words.begin()[place]);
    return place;
  }
  const auto* const found =
      std::ranges::find_if(words, [&](std::string_view word) { return reader_->accept(word); });
  if (found == words.end()) reader_->fail(wanted);
  return static_cast<std::size_t>(found - words.begin());
}

}  // namespace benanza
