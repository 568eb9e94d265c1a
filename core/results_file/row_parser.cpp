#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/base/error.h"
#include "core/results_file/row.h"

namespace benanza {
namespace {

namespace ondemand = simdjson::ondemand;

/// Members with their own field, or that follow from others and are not kept. All others are facts.
enum class Member {
  name,
  status,
  reason,
  run_type,
  time_unit,
  real_time,
  repetition,
  samples,
  workspace,
  heuristic_rank,
  derived,
  fact
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
                                   NamedMember{"workspace_bytes", Member::workspace},
                                   NamedMember{"heuristic_rank", Member::heuristic_rank},
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

Member member_of(std::string_view name) {
  for (const NamedMember& entry : named_members) {
    if (entry.name == name) return entry.member;
  }
  return Member::fact;
}

/// Facts that report whether Tensor Cores were used, the most reliable first.
constexpr std::array<std::string_view, 3> tensor_core_facts{
    "tensor_core_counted", "tensor_core_by_name", "tensor_core_claimed"};

[[noreturn]] void refuse(std::string_view member) {
  throw Error("is not a results file: \"" + std::string(member) + "\" is of another type");
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
  /// In the order of tensor_core_facts.
  std::array<std::optional<bool>, tensor_core_facts.size()> tensor_cores{};

  void read(std::string_view key, ondemand::value value);

 private:
  void read_fact(std::string_view key, ondemand::value value);
};

std::string_view text_of(std::string_view key, ondemand::value value) {
  if (value.type() != ondemand::json_type::string) refuse(key);
  return value.get_string();
}

double number_of(std::string_view key, ondemand::value value) {
  if (value.type() != ondemand::json_type::number) refuse(key);
  return value.get_double();
}

/// A whole number that a double holds exactly.
std::int64_t whole_of(std::string_view key, ondemand::value value) {
  const double number = number_of(key, value);
  constexpr double most = 9007199254740992;  // 2^53
  if (number != std::trunc(number) || std::abs(number) > most) refuse(key);
  return static_cast<std::int64_t>(number);
}

void RawRow::read(std::string_view key, ondemand::value value) {
  if (value.type() == ondemand::json_type::null) {
    if (!value.is_null()) throw simdjson::simdjson_error(simdjson::N_ATOM_ERROR);
    return;
  }
  switch (member_of(key)) {
    case Member::name:
      name = text_of(key, value);
      break;
    case Member::status:
      status = text_of(key, value);
      break;
    case Member::reason:
      row.reason = text_of(key, value);
      break;
    case Member::run_type:
      aggregate = text_of(key, value) == "aggregate";
      break;
    case Member::time_unit:
      time_unit = text_of(key, value);
      break;
    case Member::real_time:
      real_time = number_of(key, value);
      break;
    case Member::repetition:
      row.repetition = whole_of(key, value);
      break;
    case Member::workspace:
      row.workspace_bytes = whole_of(key, value);
      break;
    case Member::heuristic_rank:
      row.heuristic_rank = static_cast<int>(std::clamp<std::int64_t>(
          whole_of(key, value), std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
      break;
    case Member::samples:
      if (value.type() != ondemand::json_type::array) refuse(key);
      for (double sample : value.get_array()) row.samples.push_back(sample);
      break;
    case Member::derived:
      break;
    case Member::fact:
      read_fact(key, value);
      break;
  }
}

void RawRow::read_fact(std::string_view key, ondemand::value value) {
  std::string_view spelling = value.raw_json_token();
  spelling = spelling.substr(0, spelling.find_last_not_of(" \n\r\t") + 1);
  const auto known = std::find(tensor_core_facts.begin(), tensor_core_facts.end(), key);
  switch (value.type()) {
    case ondemand::json_type::boolean: {
      const bool flag = value.get_bool();
      if (known != tensor_core_facts.end()) {
        tensor_cores[static_cast<std::size_t>(known - tensor_core_facts.begin())] = flag;
      }
      break;
    }
    case ondemand::json_type::number:
      static_cast<void>(double(value.get_double()));
      break;
    case ondemand::json_type::string:
      static_cast<void>(std::string_view(value.get_string()));
      break;
    default:  // The suites write no objects or lists.
      return;
  }
  if (known != tensor_core_facts.end() && value.type() != ondemand::json_type::boolean) refuse(key);
  std::string& facts = row.facts;
  if (!facts.empty()) facts += ',';
  append_json(facts, key);
  facts += ':';
  facts += spelling;
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
  for (const std::optional<bool>& used : raw.tensor_cores) {
    if (!row.tensor_cores) row.tensor_cores = used;
  }
  if (*status != Status::ok) {
    row.samples.clear();
    return std::move(row);
  }
  if (row.samples.empty()) {
    if (!raw.real_time) throw Error("is not a results file: key 'real_time' not found");
    row.samples.push_back(*raw.real_time * seconds_per_unit(raw.time_unit));
  }
  for (const double sample : row.samples) {
    if (!std::isfinite(sample) || sample <= 0) {
      throw Error(name + ": is ok but has a time of " + std::to_string(sample) + " s");
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

std::optional<Row> RowParser::parse(std::string_view text, std::size_t begin, std::size_t end) {
  const std::string_view row = text.substr(begin, end - begin);
  simdjson::padded_string_view padded(row, text.size() - begin);
  if (text.size() - end < simdjson::SIMDJSON_PADDING) {
    impl_->padded.reserve(row.size() + simdjson::SIMDJSON_PADDING);
    impl_->padded = row;
    padded = simdjson::padded_string_view(impl_->padded.data(), row.size(),
                                          row.size() + simdjson::SIMDJSON_PADDING);
  }
  try {
    ondemand::document document = impl_->parser.iterate(padded);
    RawRow raw;
    for (auto field : document.get_object()) {
      raw.read(field.unescaped_key(), field.value());
    }
    const bool at_end = document.current_location().error() == simdjson::OUT_OF_BOUNDS;
    if (!at_end) throw simdjson::simdjson_error(simdjson::TRAILING_CONTENT);
    if (raw.aggregate) return std::nullopt;
    return checked(std::move(raw));
  } catch (const simdjson::simdjson_error&) {
    throw Error("is not a results file: not JSON, or cut short");
  }
}

}  // namespace benanza
