#include "results/row.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <unordered_map>

#include "base/error.h"
#include "results/flat_object.h"
#include "statistics/statistics.h"

namespace benanza {
namespace {

using nlohmann::json;

/// Members that analysis reads, or that follow from others and are not kept.
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
  counted,
  by_name,
  claimed,
  derived,
  fact
};

Member member_of(const std::string& key) {
  static const std::unordered_map<std::string, Member> members{
      {"name", Member::name},
      {"status", Member::status},
      {"reason", Member::reason},
      {"run_type", Member::run_type},
      {"time_unit", Member::time_unit},
      {"real_time", Member::real_time},
      {"repetition_index", Member::repetition},
      {"samples", Member::samples},
      {"workspace_bytes", Member::workspace},
      {"heuristic_rank", Member::heuristic_rank},
      {"tensor_core_counted", Member::counted},
      {"tensor_core_by_name", Member::by_name},
      {"tensor_core_claimed", Member::claimed},
      {"run_name", Member::derived},
      {"family_index", Member::derived},
      {"per_family_instance_index", Member::derived},
      {"repetitions", Member::derived},
      {"threads", Member::derived},
      {"iterations", Member::derived},
      {"cpu_time", Member::derived},
      {"FLOP/s", Member::derived},
      {"bytes/s", Member::derived},
      {"min", Member::derived},
      {"cv", Member::derived},
      {"sample_count", Member::derived},
      {"error_occurred", Member::derived},
      {"error_message", Member::derived}};
  const auto found = members.find(key);
  return found == members.end() ? Member::fact : found->second;
}

std::string json_text(const std::string& text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return c >= ' ' && c != '"' && c != '\\' && c < 0x7f;
  });
  return plain ? '"' + text + '"' : json(text).dump(-1, ' ', true, json::error_handler_t::replace);
}

std::string shortest(double value) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return {text, end};
}

Error wrong_type(const std::string& member) {
  return Error("is not a results file: \"" + member + "\" is of another type");
}

/// Receives the members of one row. Members that are objects or lists, "samples" but for one, are
/// passed over: the suites write none.
class RowReader final : public nlohmann::json_sax<json> {
 public:
  bool null() override { return true; }
  bool boolean(bool value) override {
    if (depth_ != 1) return true;
    switch (member_) {
      case Member::counted:
        counted_ = value;
        break;
      case Member::by_name:
        by_name_ = value;
        break;
      case Member::claimed:
        claimed_ = value;
        break;
      case Member::fact:
        break;
      default:
        return ignore_or_refuse();
    }
    add_fact(value ? "true" : "false");
    return true;
  }
  bool number_integer(number_integer_t value) override {
    return number(static_cast<double>(value), std::to_string(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return number(static_cast<double>(value), std::to_string(value));
  }
  bool number_float(number_float_t value, const string_t& text) override {
    return number(value, text);
  }
  bool string(string_t& value) override {
    if (in_samples_) throw wrong_type("samples");
    if (depth_ != 1) return true;
    switch (member_) {
      case Member::name:
        name = std::move(value);
        break;
      case Member::status:
        status = std::move(value);
        break;
      case Member::reason:
        row.measurement.reason = std::move(value);
        break;
      case Member::run_type:
        aggregate = value == "aggregate";
        break;
      case Member::time_unit:
        time_unit = std::move(value);
        break;
      case Member::fact:
        add_fact(json_text(value));
        break;
      default:
        return ignore_or_refuse();
    }
    return true;
  }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return enter(); }
  bool key(string_t& name_of_member) override {
    if (depth_ != 1) return true;
    member_ = member_of(name_of_member);
    key_ = std::move(name_of_member);
    return true;
  }
  bool end_object() override { return leave(); }
  bool start_array(std::size_t) override {
    in_samples_ = depth_ == 1 && member_ == Member::samples;
    return enter();
  }
  bool end_array() override {
    in_samples_ = false;
    return leave();
  }
  bool parse_error(std::size_t, const std::string&, const json::exception&) override {
    return false;
  }

  /// By the hardware's counters if they were read, else by the kernels' names, else as the library
  /// says.
  std::optional<bool> tensor_cores() const {
    if (counted_) return counted_;
    return by_name_ ? by_name_ : claimed_;
  }

  ResultRow row;
  std::string name;
  std::string status;
  std::string time_unit;
  std::optional<double> real_time;
  bool aggregate = false;

 private:
  bool enter() {
    if (depth_ == 1 && member_ != Member::fact && !in_samples_) throw wrong_type(key_);
    ++depth_;
    return true;
  }
  bool leave() {
    --depth_;
    return true;
  }
  bool ignore_or_refuse() const {
    if (member_ != Member::derived) throw wrong_type(key_);
    return true;
  }
  bool number(double value, const std::string& text) {
    Measurement& measurement = row.measurement;
    if (in_samples_) {
      measurement.samples.push_back(value);
      return true;
    }
    if (depth_ != 1) return true;
    switch (member_) {
      case Member::real_time:
        real_time = value;
        break;
      case Member::repetition:
        row.repetition = static_cast<std::int64_t>(value);
        break;
      case Member::workspace:
        measurement.workspace_bytes = static_cast<std::int64_t>(value);
        break;
      case Member::heuristic_rank:
        measurement.heuristic_rank = static_cast<int>(value);
        break;
      case Member::fact:
        add_fact(text);
        break;
      default:
        return ignore_or_refuse();
    }
    return true;
  }
  void add_fact(std::string_view value) {
    if (!row.facts.empty()) row.facts += ',';
    row.facts += json_text(key_);
    row.facts += ':';
    row.facts += value;
  }

  int depth_ = 0;
  bool in_samples_ = false;
  Member member_ = Member::fact;
  std::string key_;
  std::optional<bool> counted_;
  std::optional<bool> by_name_;
  std::optional<bool> claimed_;
};

constexpr std::string_view samples_begin = "\"samples\":[";

/// Where the list of samples begins, behind its bracket; npos if there is none. A quotation mark
/// within a JSON string is escaped, so `samples_begin` can only be the member.
std::size_t find_samples(std::string_view text, std::size_t from) {
  // By the bracket, which is rare, not by the quotation mark.
  for (auto at = text.find('[', from); at != text.npos; at = text.find('[', at + 1)) {
    if (text.substr(0, at + 1).ends_with(samples_begin)) return at + 1;
  }
  return text.npos;
}

/// Most of a row are its samples: read here, faster than by the parser of everything else, which
/// gets `rest`: the text without them. Empty, and `rest` all of the text, unless there is one such
/// list, of plain numbers.
std::vector<double> take_samples(std::string_view text, std::string& rest) {
  rest = text;
  const auto begin = find_samples(text, 0);
  if (begin == text.npos) return {};
  std::vector<double> samples;
  const char* at = text.data() + begin;
  const char* const end = text.data() + text.size();
  samples.reserve(static_cast<std::size_t>(end - at) / 20);
  const auto blank = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
  while (at != end && *at != ']') {
    while (at != end && blank(*at)) ++at;
    double value = 0;
    const bool number = at != end && (*at == '-' || ('0' <= *at && *at <= '9'));
    const auto [after, error] = std::from_chars(at, end, value);
    if (!number || error != std::errc{}) return {};
    samples.push_back(value);
    at = after;
    while (at != end && blank(*at)) ++at;
    if (at != end && *at == ',') {
      if (++at != end && *at == ']') return {};
    } else if (at != end && *at != ']') {
      return {};
    }
  }
  if (at == end || samples.empty()) return {};
  const auto close = static_cast<std::size_t>(at - text.data());
  if (find_samples(text, close) != text.npos) return {};
  rest.erase(begin, close - begin);
  return samples;
}

double seconds_per_unit(const std::string& unit) {
  if (unit == "ns") return 1e-9;
  if (unit == "us") return 1e-6;
  if (unit == "ms") return 1e-3;
  if (unit == "s") return 1;
  throw Error("unknown time_unit \"" + unit + "\"");
}

/// `value`, unless the row does not have it.
const std::string& required(const std::string& value, const char* member) {
  if (value.empty())
    throw Error("is not a results file: key '" + std::string(member) + "' not found");
  return value;
}

}  // namespace

std::optional<ResultRow> parse_row(std::string_view text) {
  std::string rest;
  std::vector<double> samples = take_samples(text, rest);
  RowReader reader;
  if (!scan_flat_object(rest, reader)) {
    reader = RowReader();
    const char* begin = rest.data();
    if (!json::sax_parse(begin, begin + rest.size(), &reader)) {
      throw Error("is not a results file: not JSON, or cut short");
    }
  }
  if (reader.aggregate) return std::nullopt;

  Measurement& measurement = reader.row.measurement;
  try {
    measurement.variant = parse_variant_name(required(reader.name, "name"));
  } catch (const std::invalid_argument& exception) {
    throw Error(exception.what());
  }
  const auto status = parse_status(required(reader.status, "status"));
  if (!status) throw Error(reader.name + ": unknown status \"" + reader.status + "\"");
  measurement.status = *status;
  measurement.tensor_cores = reader.tensor_cores();
  if (*status != Status::ok) {
    measurement.samples.clear();
    return std::move(reader.row);
  }
  if (!samples.empty()) measurement.samples = std::move(samples);
  if (measurement.samples.empty()) {
    if (!reader.real_time) throw Error("is not a results file: key 'real_time' not found");
    measurement.samples.push_back(*reader.real_time * seconds_per_unit(reader.time_unit));
  }
  for (const double sample : measurement.samples) {
    if (!std::isfinite(sample) || sample <= 0) {
      throw Error(reader.name + ": is ok but has a time of " + std::to_string(sample) + " s");
    }
  }
  return std::move(reader.row);
}

std::string row_text(const ResultRow& row) {
  const Measurement& measurement = row.measurement;
  const bool ok = measurement.status == Status::ok;
  const std::string name = json_text(to_string(measurement.variant));
  const std::string time = shortest(ok ? measurement.seconds() * 1e6 : 0);
  std::string text =
      "{\"name\":" + name + ",\"run_name\":" + name +
      ",\"run_type\":\"iteration\",\"repetition_index\":" + std::to_string(row.repetition) +
      ",\"iterations\":" + std::to_string(measurement.samples.size()) + ",\"real_time\":" + time +
      ",\"cpu_time\":" + time + ",\"time_unit\":\"us\",\"status\":\"" +
      std::string(to_string(measurement.status)) + '"';
  if (!ok) {
    const std::string reason = std::string(to_string(measurement.status)) + ": ";
    text += ",\"reason\":" + json_text(measurement.reason) + ",\"error_occurred\":true" +
            ",\"error_message\":" + json_text(reason + measurement.reason);
  }
  if (measurement.workspace_bytes) {
    text += ",\"workspace_bytes\":" + std::to_string(*measurement.workspace_bytes);
  }
  if (measurement.heuristic_rank) {
    text += ",\"heuristic_rank\":" + std::to_string(*measurement.heuristic_rank);
  }
  if (!row.facts.empty()) text += ',' + row.facts;
  if (ok) {
    text += ",\"samples\":[";
    for (std::size_t i = 0; i < measurement.samples.size(); ++i) {
      if (i > 0) text += ',';
      text += shortest(measurement.samples[i]);
    }
    text += ']';
  }
  return text + '}';
}

}  // namespace benanza
