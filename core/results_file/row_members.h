#pragma once

#include <simdjson.h>

#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "core/results_file/row.h"

namespace benanza {

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
