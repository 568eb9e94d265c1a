#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace benanza {

/// Extents of a tensor, or one value per spatial axis; outermost first.
using Dims = std::vector<std::int64_t>;

/// The largest number in a key, and the most elements of all tensors of a problem together: more
/// than any machine holds, and few enough that their bytes and their sums fit 64 bits.
inline constexpr std::int64_t most_elements = std::int64_t{1} << 48;

/// Axes of a tensor; a field has at most two numbers for each (pads).
inline constexpr std::size_t most_axes = 64;

/// Numbers of a field that is a list of anything but axes.
inline constexpr std::size_t most_listed = 4096;

/// What products and sums of extents are at most: far above most_elements, and so far below the
/// largest integer that a few of them can be added.
inline constexpr std::int64_t saturated = std::int64_t{1} << 60;
/// a * b and a + b, kept within `saturated` instead of overflowing.
std::int64_t saturated_product(std::int64_t a, std::int64_t b);
std::int64_t saturated_sum(std::int64_t a, std::int64_t b);

/// Product of `dims`; 1 for a scalar. Saturated.
std::int64_t element_count(const Dims& dims);
/// The same as a real number, which is never saturated.
double real_count(const Dims& dims);

/// "1x64x56x56" for separator 'x'; "1" for a scalar.
std::string join(const Dims& dims, char separator);

/// True if `y` has the rank of `output` and each of its extents is 1 or the output's.
bool broadcasts_to(const Dims& y, const Dims& output);

/// Shortest text that round-trips to the same float; "inf" and "-inf" included.
std::string number(float value);

/// Thrown by parse() for numbers or tensors beyond every machine.
class TooLarge : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// Writes a key: "op/field_field_...". A field is a one- or two-letter prefix and its value.
class KeyWriter {
 public:
  explicit KeyWriter(std::string_view op) : text_(op) { text_ += '/'; }

  KeyWriter& dims(std::string_view prefix, const Dims& values, char separator = 'x');
  KeyWriter& integer(std::string_view prefix, std::int64_t value);
  KeyWriter& real(std::string_view prefix, float value);
  KeyWriter& word(std::string_view text);
  std::string take() { return std::move(text_); }

 private:
  void begin_field(std::string_view prefix);
  std::string text_;
  bool first_ = true;
};

/// Reads the fields of a key in the order they were written. Every member throws
/// std::invalid_argument naming the key and the expected field; TooLarge for a number beyond
/// most_elements.
class KeyReader {
 public:
  /// `key` must outlive the reader.
  explicit KeyReader(std::string_view key);

  std::string_view op() const { return op_; }
  /// Removes `suffix` from op(): a gradient reads the fields of its forward call.
  void drop_from_op(std::string_view suffix) {
    if (op_.ends_with(suffix)) op_.remove_suffix(suffix.size());
  }
  Dims dims(std::string_view prefix, char separator = 'x');
  /// "3x5x2" behind the prefix.
  Dims list(std::string_view prefix);
  std::int64_t integer(std::string_view prefix);
  /// A finite number.
  float real(std::string_view prefix);
  /// A number that may be infinite: a bound, a value of a mask.
  float limit(std::string_view prefix);
  std::string_view word();
  /// If the next field is exactly `text`, consumes it and returns true.
  bool accept(std::string_view text);
  /// True if the next field starts with `prefix`; consumes nothing.
  bool next_is(std::string_view prefix) const;
  /// True if the next field is `prefix` followed by a number: "a8x12", not the word "abs".
  bool next_is_number(std::string_view prefix) const;
  bool at_end() const { return rest_.empty(); }
  [[noreturn]] void fail(std::string_view wanted) const;
  /// Throws TooLarge. `what`: "a stride above 9".
  [[noreturn]] void too_large(std::string_view what) const;

 private:
  Dims numbers(std::string_view prefix, char separator, std::size_t most, std::string_view beyond);
  std::int64_t number_in(std::string_view text, std::string_view prefix,
                         std::string_view wanted) const;
  std::string_view take(std::string_view prefix, std::string_view wanted);
  std::string_view key_;
  std::string_view op_;
  std::string_view rest_;
};

/// First part of a key: "conv", "gemm", "relu", ...
inline std::string_view op_of(std::string_view key) { return key.substr(0, key.find('/')); }

/// True if the key's problem is of one of the shapes.
template <class... Shape>
bool asks_for(std::string_view key) {
  return (Shape::owns(op_of(key)) || ...);
}

/// The extents of tensors of equal rank that broadcast together, in the order of their axes, in as
/// few axes as possible: neighbours along which the same tensors broadcast become one, and axes of
/// one element are left out. {2x3x4, 1x3x4} -> {2x12, 1x12}.
std::vector<Dims> merge_axes(const std::vector<Dims>& tensors);

/// The fields of a key, in order, as a problem's map(KeyFields&) names each of them once: written
/// by a KeyWriter, or read and checked by a KeyReader. Values change only while they are read.
class KeyFields {
 public:
  explicit KeyFields(KeyWriter& writer) : writer_(&writer) {}
  explicit KeyFields(KeyReader& reader) : reader_(&reader) {}
  /// Null while a key is written.
  KeyReader* reader() const { return reader_; }

  KeyFields& dims(std::string_view prefix, Dims& values, char separator = 'x');
  /// Numbers that are no extents.
  KeyFields& list(std::string_view prefix, Dims& values);
  /// A field of as many numbers as `values`; `wanted` if it has another count.
  KeyFields& numbers(std::string_view prefix, std::initializer_list<std::int64_t*> values,
                     std::string_view wanted);
  KeyFields& integer(std::string_view prefix, std::int64_t& value);
  /// A finite number.
  KeyFields& real(std::string_view prefix, float& value);
  /// A number that may be infinite.
  KeyFields& limit(std::string_view prefix, float& value);
  KeyFields& word(std::string& text);
  /// A word that is there if `value` is true.
  KeyFields& flag(std::string_view text, bool& value);
  /// The word at the place `value` in `words`; `wanted` if the next field is none of them.
  template <class Value>
  KeyFields& choice(std::initializer_list<std::string_view> words, Value& value,
                    std::string_view wanted) {
    const std::size_t place = choose(words, static_cast<std::size_t>(value), wanted);
    if (reader_ != nullptr) value = static_cast<Value>(place);
    return *this;
  }
  /// Whether the next field is `prefix` and a number, or, to be written, `is_there`.
  bool has(std::string_view prefix, bool is_there) const;
  /// What is read must hold.
  KeyFields& require(bool holds, std::string_view wanted);

 private:
  std::size_t choose(std::initializer_list<std::string_view> words, std::size_t place,
                     std::string_view wanted);

  KeyWriter* writer_ = nullptr;
  KeyReader* reader_ = nullptr;
};

}  // namespace benanza
