#include "core/results_file/row_members.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/base/error.h"
#include "core/base/text.h"

namespace benanza {
namespace {

using Value = simdjson::ondemand::value;

std::string json_number(double value) {
  constexpr double exact_limit = 9007199254740992;  // 2^53
  char text[32];
  const bool whole = value == std::trunc(value) && std::abs(value) <= exact_limit;
  const auto [end, error] =
      whole ? std::to_chars(text, text + sizeof text, static_cast<std::int64_t>(value))
            : std::to_chars(text, text + sizeof text, value);
  return {text, end};
}

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    names.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return names;
}

int to_rank(std::int64_t number) {
  return static_cast<int>(std::clamp<std::int64_t>(number, std::numeric_limits<int>::min(),
                                                   std::numeric_limits<int>::max()));
}

void read(bool& field, std::string_view name, Value value) { field = flag_value(name, value); }
void read(std::optional<bool>& field, std::string_view name, Value value) {
  field = flag_value(name, value);
}
void read(std::optional<double>& field, std::string_view name, Value value) {
  field = number_value(name, value);
}
void read(std::optional<std::int64_t>& field, std::string_view name, Value value) {
  field = whole_number(name, value);
}
void read(std::optional<int>& field, std::string_view name, Value value) {
  field = to_rank(whole_number(name, value));
}
void read(std::string& field, std::string_view name, Value value) {
  field = text_value(name, value);
}
/// A list in one text, separated by commas.
void read(std::vector<std::string>& field, std::string_view name, Value value) {
  field = split(text_value(name, value));
}

void write(bool field, std::string_view name, MemberWriter& writer) {
  if (field) writer.add(name, true);
}
void write(const std::optional<bool>& field, std::string_view name, MemberWriter& writer) {
  if (field) writer.add(name, *field);
}
template <class Number>
void write(const std::optional<Number>& field, std::string_view name, MemberWriter& writer) {
  if (field) writer.add(name, static_cast<double>(*field));
}
void write(const std::string& field, std::string_view name, MemberWriter& writer) {
  if (!field.empty()) writer.add(name, std::string_view(field));
}
void write(const std::vector<std::string>& field, std::string_view name, MemberWriter& writer) {
  if (!field.empty()) writer.add(name, std::string_view(text::join(field, ",")));
}

template <class T>
const T& held(const Fact& value) {
  const T* const found = std::get_if<T>(&value);
  if (found == nullptr) throw std::logic_error("a fact of another type than the row's field");
  return *found;
}

void set(bool& field, const Fact& value) { field = held<bool>(value); }
void set(std::optional<bool>& field, const Fact& value) { field = held<bool>(value); }
void set(std::optional<double>& field, const Fact& value) { field = finite(held<double>(value)); }
void set(std::optional<std::int64_t>& field, const Fact& value) {
  field = static_cast<std::int64_t>(held<double>(value));
}
void set(std::optional<int>& field, const Fact& value) {
  field = to_rank(static_cast<std::int64_t>(held<double>(value)));
}
void set(std::string& field, const Fact& value) { field = held<std::string>(value); }
void set(std::vector<std::string>& field, const Fact& value) {
  field = split(held<std::string>(value));
}

/// A clock that was too low is a cause of its own only where none is known.
void throttle(Row& row, bool is_throttled) {
  if (is_throttled && row.disturbed.empty()) row.disturbed = "throttled";
}

template <auto field>
constexpr RowMember member(std::string_view name) {
  return {.name = name,
          .read = [](Row& row, std::string_view key,
                     Value value) { benanza::read(row.*field, key, value); },
          .write = [](const Row& row, std::string_view key,
                      MemberWriter& writer) { benanza::write(row.*field, key, writer); },
          .set = [](Row& row, const Fact& value) { benanza::set(row.*field, value); }};
}

/// In the order in which they are written.
constexpr std::array all_members{
    member<&Row::flops>("FLOPs"),
    member<&Row::bytes>("bytes"),
    member<&Row::workspace_bytes>("workspace_bytes"),
    member<&Row::shares_workspace>("shares_workspace"),
    member<&Row::heuristic_rank>("heuristic_rank"),
    member<&Row::calls_per_sample>("calls_per_sample"),
    member<&Row::timed_seconds>("timed_seconds"),
    member<&Row::stopped_by>("stopped_by"),
    member<&Row::engine_lost>("engine_lost"),
    member<&Row::disturbed>("disturbed"),
    member<&Row::company>("company"),
    RowMember{.name = "throttled",
              .read = [](Row& row, std::string_view key,
                         Value value) { throttle(row, flag_value(key, value)); },
              .write = [](const Row&, std::string_view, MemberWriter&) {},
              .set = [](Row& row, const Fact& value) { throttle(row, held<bool>(value)); }},
    member<&Row::measured_again>("measured_again"),
    member<&Row::virtual_machine>("virtual_machine"),
    member<&Row::process>("process"),
    member<&Row::first_choice>("first_choice"),
    member<&Row::over_limit>("over_limit"),
    member<&Row::in_place>("in_place"),
    member<&Row::reference>("reference"),
    member<&Row::strided_axes>("strided_axes"),
    member<&Row::constant_bytes>("constant_bytes"),
    member<&Row::operand_formats>("operand_formats"),
    member<&Row::result_formats>("result_formats"),
    member<&Row::tolerance>("tolerance"),
    member<&Row::rounding_amplification>("rounding_amplification"),
    member<&Row::partial_sums>("partial_sums"),
    member<&Row::data>("data"),
    member<&Row::tensor_core_claimed>("tensor_core_claimed"),
    member<&Row::tensor_core_by_name>("tensor_core_by_name"),
    member<&Row::tensor_core_counted>("tensor_core_counted"),
    member<&Row::kernel_names>("kernel_names"),
    member<&Row::profiled>("profiled"),
    member<&Row::profile_failed>("profile_failed"),
    member<&Row::rotating_seconds>("rotating_seconds"),
    member<&Row::rotating_copies>("rotating_copies"),
    member<&Row::rotating_failed>("rotating_failed"),
    member<&Row::energy_joules>("energy_joules"),
    member<&Row::energy_failed>("energy_failed"),
};

constexpr NameIndex member_index = name_index(all_members);

}  // namespace

void MemberWriter::begin(std::string_view name) {
  if (!text_.empty()) text_ += ',';
  append_json(text_, name);
  text_ += ':';
}

void MemberWriter::add(std::string_view name, bool value) {
  begin(name);
  text_ += value ? "true" : "false";
}

void MemberWriter::add(std::string_view name, double value) {
  if (!std::isfinite(value)) return;
  begin(name);
  text_ += json_number(value);
}

void MemberWriter::add(std::string_view name, std::string_view value) {
  begin(name);
  append_json(text_, value);
}

void MemberWriter::add(std::string_view name, std::span<const double> values) {
  begin(name);
  text_ += '[';
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text_ += ',';
    text_ += json_number(values[i]);
  }
  text_ += ']';
}

void MemberWriter::add_all(std::string_view members) {
  if (members.empty()) return;
  if (!text_.empty()) text_ += ',';
  text_ += members;
}

std::span<const RowMember> row_members() { return all_members; }

const RowMember* find_row_member(std::string_view name) {
  const auto place = member_index.find(name);
  return place ? &all_members[*place] : nullptr;
}

void refuse_type(std::string_view name) {
  throw Error("is not a results file: \"" + std::string(name) + "\" is of another type");
}

std::string_view text_value(std::string_view name, Value value) {
  if (value.type() != simdjson::ondemand::json_type::string) refuse_type(name);
  return value.get_string();
}

double number_value(std::string_view name, Value value) {
  if (value.type() != simdjson::ondemand::json_type::number) refuse_type(name);
  return value.get_double();
}

bool flag_value(std::string_view name, Value value) {
  if (value.type() != simdjson::ondemand::json_type::boolean) refuse_type(name);
  return value.get_bool();
}

std::int64_t whole_number(std::string_view name, Value value) {
  const double number = number_value(name, value);
  constexpr double most = 9007199254740992;  // 2^53
  if (number != std::trunc(number) || std::abs(number) > most) refuse_type(name);
  return static_cast<std::int64_t>(number);
}

}  // namespace benanza
