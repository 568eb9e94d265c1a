#pragma once

#include <simdjson.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "core/results_file/row.h"

namespace benanza {

/// Finds the place of a name in a fixed list, which is made into a hash table at compile time.
template <std::size_t count>
class NameIndex {
 public:
  explicit constexpr NameIndex(const std::array<std::string_view, count>& names) : names_(names) {
    for (std::size_t place = 0; place < count; ++place) {
      std::size_t slot = slot_of(names[place]);
      while (slots_[slot] != 0) slot = (slot + 1) % slots;
      slots_[slot] = static_cast<std::uint8_t>(place + 1);
    }
  }

  constexpr std::optional<std::size_t> find(std::string_view name) const {
    for (std::size_t slot = slot_of(name); slots_[slot] != 0; slot = (slot + 1) % slots) {
      const std::size_t place = slots_[slot] - 1U;
      if (names_[place] == name) return place;
    }
    return std::nullopt;
  }

 private:
  static constexpr std::size_t slots = 256;
  static_assert(count < slots / 2);

  static constexpr std::size_t slot_of(std::string_view name) {
    if (name.empty()) return 0;
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(name[at]); };
    return (name.size() * 37U + byte(0) * 5U + byte(name.size() / 2) * 11U +
            byte(name.size() - 1) * 3U) %
           slots;
  }

  std::array<std::string_view, count> names_;
  /// The place + 1; 0: free.
  std::array<std::uint8_t, slots> slots_{};
};

/// Of a list whose entries have a `name`.
template <class Entry, std::size_t count>
constexpr NameIndex<count> name_index(const std::array<Entry, count>& list) {
  std::array<std::string_view, count> names;
  for (std::size_t place = 0; place < count; ++place) names[place] = list[place].name;
  return NameIndex<count>(names);
}

/// Appends the members of a JSON object, without its braces. Numbers that are NaN or infinite are
/// left out; whole ones are written without a fraction.
class MemberWriter {
 public:
  explicit MemberWriter(std::string& text) : text_(text) {}
  void add(std::string_view name, bool value);
  void add(std::string_view name, double value);
  void add(std::string_view name, std::string_view value);
  /// A bool's overload would take it.
  void add(std::string_view name, const char* value) { add(name, std::string_view(value)); }
  void add(std::string_view name, std::span<const double> values);
  /// Members that are JSON already.
  void add_all(std::string_view members);

 private:
  void begin(std::string_view name);

  std::string& text_;
};

/// A field of a row and its member in JSON: the one place that names both.
struct RowMember {
  std::string_view name;
  /// Throws Error if the value is of another type.
  void (*read)(Row& row, std::string_view name, simdjson::ondemand::value value);
  /// Writes nothing for an absent value.
  void (*write)(const Row& row, std::string_view name, MemberWriter& writer);
  /// Throws std::logic_error if the value is of another type; leaves out what is not finite.
  void (*set)(Row& row, const Fact& value);
};

std::span<const RowMember> row_members();
/// Null if no field has this name.
const RowMember* find_row_member(std::string_view name);

/// A number that must be whole and that a double holds exactly. Throws Error, as the readers do.
std::int64_t whole_number(std::string_view name, simdjson::ondemand::value value);
/// Throw Error if the value is of another type.
double number_value(std::string_view name, simdjson::ondemand::value value);
std::string_view text_value(std::string_view name, simdjson::ondemand::value value);
bool flag_value(std::string_view name, simdjson::ondemand::value value);
[[noreturn]] void refuse_type(std::string_view name);

}  // namespace benanza
