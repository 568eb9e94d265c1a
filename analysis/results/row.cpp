#include "analysis/results/row.h"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "analysis/results/flat_object.h"
#include "analysis/results/row_reader.h"
#include "core/base/error.h"
#include "core/statistics/statistics.h"

namespace benanza {
namespace {

using nlohmann::json;

std::string json_text(std::string_view text) {
  std::string out;
  append_json(out, text);
  return out;
}

std::string shortest(double value) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return {text, end};
}

/// Tells a RowReader what the parser of all JSON reads.
class ParserEvents final : public nlohmann::json_sax<json> {
 public:
  explicit ParserEvents(RowReader& reader) : reader_(reader) {}

  bool null() override { return true; }
  bool boolean(bool value) override {
    return told([&] { reader_.boolean(value); });
  }
  bool number_integer(number_integer_t value) override { return whole(value); }
  bool number_unsigned(number_unsigned_t value) override { return whole(value); }
  bool number_float(number_float_t value, const string_t& text) override {
    return told([&] { reader_.number(text, [&] { return value; }); });
  }
  bool string(string_t& value) override {
    return told([&] { reader_.text(value); });
  }
  bool binary(binary_t&) override { return true; }
  bool key(string_t& name) override {
    return told([&] { reader_.key(name); });
  }
  bool start_object(std::size_t) override {
    return told([&] { reader_.enter(); });
  }
  bool end_object() override {
    return told([&] { reader_.leave(); });
  }
  bool start_array(std::size_t) override {
    return told([&] { reader_.enter_list(); });
  }
  bool end_array() override {
    return told([&] { reader_.leave_list(); });
  }
  bool parse_error(std::size_t, const std::string&, const json::exception&) override {
    return false;
  }

 private:
  template <class Tell>
  static bool told(Tell&& tell) {
    tell();
    return true;
  }
  template <class Integer>
  bool whole(Integer value) {
    const std::string text = std::to_string(value);
    return told([&] { reader_.number(text, [&] { return static_cast<double>(value); }); });
  }

  RowReader& reader_;
};

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
  RowReader reader;
  if (!scan_flat_object(text, reader)) {
    reader = RowReader();
    ParserEvents events(reader);
    if (!json::sax_parse(text.begin(), text.end(), &events)) {
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
