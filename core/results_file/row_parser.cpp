#include <simdjson.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <stdexcept>

#include "core/base/error.h"
#include "core/results_file/row_members.h"

namespace benanza {
namespace {

namespace ondemand = simdjson::ondemand;

/// Members that name the variant and its outcome, or that follow from others and are not kept. All
/// others are a field's (row_members.h) or facts.
enum class Member {
  name,
  status,
  reason,
  run_type,
  time_unit,
  real_time,
  repetition,
  samples,
  derived,
};

struct NamedMember {
  std::string_view name;
  Member member;
};

constexpr std::array named_members{NamedMember{"name", Member::name},
                                   NamedMember{"status", Member::status},
                                   NamedMember{"reason", Member::reason},
                                   NamedMember{"run_type", Member::run_type},
                                   NamedMember{"time_unit", Member::time_unit},
                                   NamedMember{"real_time", Member::real_time},
                                   NamedMember{"repetition_index", Member::repetition},
                                   NamedMember{"samples", Member::samples},
                                   NamedMember{"run_name", Member::derived},
                                   NamedMember{"family_index", Member::derived},
                                   NamedMember{"per_family_instance_index", Member::derived},
                                   NamedMember{"repetitions", Member::derived},
                                   NamedMember{"threads", Member::derived},
                                   NamedMember{"iterations", Member::derived},
                                   NamedMember{"cpu_time", Member::derived},
                                   NamedMember{"FLOP/s", Member::derived},
                                   NamedMember{"bytes/s", Member::derived},
                                   NamedMember{"min", Member::derived},
                                   NamedMember{"cv", Member::derived},
                                   NamedMember{"sample_count", Member::derived},
                                   NamedMember{"error_occurred", Member::derived},
                                   NamedMember{"error_message", Member::derived}};

constexpr NameIndex own_index = name_index(named_members);

std::optional<Member> member_of(std::string_view name) {
  const auto place = own_index.find(name);
  return place ? std::optional(named_members[*place].member) : std::nullopt;
}

/// What rows without "company" named as its causes, before November 2026.
constexpr std::array<std::string_view, 3> old_company{"steal ", "other processes",
                                                      "another process"};

void complete_company(Row& row) {
  if (row.disturbed.empty() || row.company) return;
  row.company = std::ranges::any_of(old_company, [&](std::string_view one) {
    return row.disturbed.find(one) != std::string::npos;
  });
}

double seconds_per_unit(std::string_view unit) {
  if (unit == "ns") return 1e-9;
  if (unit == "us") return 1e-6;
  if (unit == "ms") return 1e-3;
  if (unit == "s") return 1;
  throw Error("unknown time_unit \"" + std::string(unit) + "\"");
}

/// The fields of one object, not yet validated as a whole.
struct RawRow {
  Row row{};
  std::optional<std::string> name{};
  std::optional<std::string> status{};
  std::string time_unit{};
  std::optional<double> real_time{};
  bool aggregate = false;

  void read(std::string_view key, ondemand::value value);

 private:
  void read_own(Member member, std::string_view key, ondemand::value value);
};

/// Appends a fact that no field holds, in its own spelling.
void add_other(std::string& facts, std::string_view key, ondemand::value value) {
  std::string_view spelling = value.raw_json_token();
  spelling = spelling.substr(0, spelling.find_last_not_of(" \n\r\t") + 1);
  switch (value.type()) {
    case ondemand::json_type::boolean:
      static_cast<void>(bool(value.get_bool()));
      break;
    case ondemand::json_type::number:
      static_cast<void>(double(value.get_double()));
      break;
    case ondemand::json_type::string:
      static_cast<void>(std::string_view(value.get_string()));
      break;
    default:  // The suites write no objects or lists.
      return;
  }
  if (!facts.empty()) facts += ',';
  append_json(facts, key);
  facts += ':';
  facts += spelling;
}

bool is_null(ondemand::value value) {
  if (value.type() != ondemand::json_type::null) return false;
  if (!value.is_null()) throw simdjson::simdjson_error(simdjson::N_ATOM_ERROR);
  return true;
}

/// A field's member, or a fact.
void read_member(Row& row, std::string_view key, ondemand::value value) {
  if (const RowMember* const member = find_row_member(key)) {
    member->read(row, key, value);
  } else {
    add_other(row.facts, key, value);
  }
}

void RawRow::read(std::string_view key, ondemand::value value) {
  if (is_null(value)) return;
  if (const std::optional<Member> own = member_of(key)) {
    read_own(*own, key, value);
  } else {
    read_member(row, key, value);
  }
}

void RawRow::read_own(Member member, std::string_view key, ondemand::value value) {
  switch (member) {
    case Member::name:
      name = text_value(key, value);
      break;
    case Member::status:
      status = text_value(key, value);
      break;
    case Member::reason:
      row.reason = text_value(key, value);
      break;
    case Member::run_type:
      aggregate = text_value(key, value) == "aggregate";
      break;
    case Member::time_unit:
      time_unit = text_value(key, value);
      break;
    case Member::real_time:
      real_time = number_value(key, value);
      break;
    case Member::repetition:
      row.repetition = whole_number(key, value);
      break;
    case Member::samples:
      if (value.type() != ondemand::json_type::array) refuse_type(key);
      for (double sample : value.get_array()) row.samples.push_back(sample);
      break;
    case Member::derived:
      break;
  }
}

const std::string& required(const std::optional<std::string>& value, const char* member) {
  if (!value) throw Error("is not a results file: key '" + std::string(member) + "' not found");
  return *value;
}

Row checked(RawRow raw) {
  Row& row = raw.row;
  const std::string& name = required(raw.name, "name");
  try {
    row.variant = parse_variant_name(name);
  } catch (const std::invalid_argument& exception) {
    throw Error(exception.what());
  }
  const auto status = parse_status(required(raw.status, "status"));
  if (!status) throw Error(name + ": unknown status \"" + *raw.status + "\"");
  row.status = *status;
  complete_company(row);
  if (*status != Status::ok) {
    row.samples.clear();
    return std::move(row);
  }
  if (row.samples.empty()) {
    if (!raw.real_time) throw Error("is not a results file: key 'real_time' not found");
    row.samples.push_back(*raw.real_time * seconds_per_unit(raw.time_unit));
  }
  constexpr double day = 86400;
  for (const double sample : row.samples) {
    if (!(sample > 0 && sample < day)) {
      std::ostringstream text;
      text << name << ": is ok but has a time of " << sample << " s";
      throw Error(text.str());
    }
  }
  return std::move(row);
}

}  // namespace

struct RowParser::Impl {
  ondemand::parser parser;
  /// The row, followed by the padding that the parser requires.
  std::string padded;
};

RowParser::RowParser() : impl_(std::make_unique<Impl>()) {}
RowParser::RowParser(RowParser&&) noexcept = default;
RowParser::~RowParser() = default;

namespace {

/// Calls `read` for every member of the object `text`, which `room` bytes follow that may be read.
template <class Read>
void for_each_member(ondemand::parser& parser, std::string& padded, std::string_view text,
                     std::size_t room, const Read& read) {
  simdjson::padded_string_view view(text, text.size() + room);
  if (room < simdjson::SIMDJSON_PADDING) {
    padded.reserve(text.size() + simdjson::SIMDJSON_PADDING);
    padded = text;
    view = simdjson::padded_string_view(padded.data(), text.size(),
                                        text.size() + simdjson::SIMDJSON_PADDING);
  }
  try {
    ondemand::document document = parser.iterate(view);
    for (auto field : document.get_object()) read(field.unescaped_key(), field.value());
    const bool at_end = document.current_location().error() == simdjson::OUT_OF_BOUNDS;
    if (!at_end) throw simdjson::simdjson_error(simdjson::TRAILING_CONTENT);
  } catch (const simdjson::simdjson_error&) {
    throw Error("is not a results file: not JSON, or cut short");
  }
}

}  // namespace

std::optional<Row> RowParser::parse(std::string_view text, std::size_t begin, std::size_t end) {
  RawRow raw;
  for_each_member(impl_->parser, impl_->padded, text.substr(begin, end - begin), text.size() - end,
                  [&](std::string_view key, ondemand::value value) { raw.read(key, value); });
  if (raw.aggregate) return std::nullopt;
  return checked(std::move(raw));
}

void RowParser::add_members(Row& row, std::string_view members) {
  if (members.empty()) return;
  for_each_member(impl_->parser, impl_->padded, '{' + std::string(members) + '}', 0,
                  [&](std::string_view key, ondemand::value value) {
                    if (!is_null(value)) read_member(row, key, value);
                  });
  complete_company(row);
}

}  // namespace benanza
