#include "suites/harness/results_file.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

#include <nlohmann/json.hpp>
#include "core/base/error.h"
#include "suites/harness/machine_context.h"
#include "suites/harness/statistics.h"

namespace benanza {
namespace {

using Json = nlohmann::ordered_json;

constexpr double microseconds = 1e6;

/// Leaves NaN and infinity out; writes whole numbers without a fraction.
void put(Json& json, std::string_view name, double value) {
  constexpr double exact_limit = 9007199254740992;  // 2^53
  if (!std::isfinite(value)) return;
  if (value == std::trunc(value) && std::abs(value) <= exact_limit) {
    json[std::string(name)] = static_cast<std::int64_t>(value);
  } else {
    json[std::string(name)] = value;
  }
}

/// Where the row stands in its file; not part of what was measured.
struct Position {
  std::int64_t family = 0;
  std::int64_t repetitions = 1;
};

Json row_json(const Row& row, const Position& position) {
  const Outcome& outcome = row.outcome;
  const bool ok = outcome.status == Status::ok;
  Json json;
  json["name"] = row.name;
  json["family_index"] = position.family;
  json["per_family_instance_index"] = 0;
  json["run_name"] = row.name;
  json["run_type"] = "iteration";
  json["repetitions"] = position.repetitions;
  json["repetition_index"] = row.repetition;
  json["threads"] = 1;
  const double time = ok ? median(outcome.samples) * microseconds : 0;
  json["iterations"] = static_cast<std::int64_t>(outcome.samples.size()) * outcome.calls_per_sample;
  json["real_time"] = time;
  json["cpu_time"] = time;
  json["time_unit"] = "us";
  json["status"] = to_string(outcome.status);
  if (!ok) {
    json["reason"] = outcome.reason;
    json["error_occurred"] = true;
    json["error_message"] = std::string(to_string(outcome.status)) + ": " + outcome.reason;
    put(json, "FLOPs", row.flops);
    json["bytes"] = row.bytes;
    if (outcome.engine_lost) json["engine_lost"] = true;
    return json;
  }
  for (const Counter& counter : counters(row)) put(json, counter.name, counter.value);
  put(json, "timed_seconds", outcome.timed_seconds);
  json["stopped_by"] = outcome.stopped_by;
  json["samples"] = outcome.samples;
  for (const auto& [name, fact] : outcome.facts) {
    if (json.contains(name)) continue;
    std::visit([&json, &key = name](const auto& value) { json[key] = value; }, fact);
  }
  return json;
}

const std::set<std::string, std::less<>>& own_fields() {
  static const std::set<std::string, std::less<>> fields = [] {
    Row row;
    row.outcome.status = Status::ok;
    row.outcome.samples = {1};
    const Json json = row_json(row, {});
    std::set<std::string, std::less<>> names;
    for (const auto& item : json.items()) names.insert(item.key());
    return names;
  }();
  return fields;
}

Facts facts_of(const Json& json) {
  Facts facts;
  for (const auto& [name, value] : json.items()) {
    if (own_fields().contains(name)) continue;
    if (value.is_boolean()) facts[name] = value.get<bool>();
    if (value.is_number()) facts[name] = value.get<double>();
    if (value.is_string()) facts[name] = value.get<std::string>();
  }
  return facts;
}

/// Throws nlohmann::json::exception or std::runtime_error if `json` is not a row.
Row row_from(const Json& json) {
  const auto status = parse_status(json.at("status").get<std::string>());
  if (!status) throw std::runtime_error("unknown status");
  Row row;
  row.name = json.at("name");
  row.repetition = json.at("repetition_index");
  row.flops = json.at("FLOPs");
  row.bytes = json.at("bytes");
  Outcome& outcome = row.outcome;
  outcome.status = *status;
  if (*status != Status::ok) {
    outcome.reason = json.at("reason");
    outcome.engine_lost = json.value("engine_lost", false);
    return row;
  }
  outcome.samples = json.at("samples").get<std::vector<double>>();
  if (outcome.samples.empty()) throw std::runtime_error("no samples");
  outcome.calls_per_sample = json.at("calls_per_sample");
  outcome.workspace_bytes = json.at("workspace_bytes");
  outcome.timed_seconds = json.at("timed_seconds");
  outcome.stopped_by = json.at("stopped_by");
  outcome.facts = facts_of(json);
  return row;
}

Json source_json(const Source& source) {
  Json json;
  json["schema"] = results_schema;
  json["backend"] = source.backend;
  json["system"] = source.system;
  return json;
}

Source source_from(const Json& json) {
  if (json.at("schema") != results_schema) throw std::runtime_error("another schema");
  return {.backend = json.at("backend"), .system = json.at("system").get<System>()};
}

std::string dump(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::vector<Counter> counters(const Row& row) {
  const Outcome& outcome = row.outcome;
  if (outcome.status != Status::ok) return {};
  const double seconds = median(outcome.samples);
  const auto bytes = static_cast<double>(row.bytes);
  return {{"FLOP/s", row.flops / seconds},
          {"bytes/s", bytes / seconds},
          {"FLOPs", row.flops},
          {"bytes", bytes},
          {"workspace_bytes", static_cast<double>(outcome.workspace_bytes)},
          {"min", *std::min_element(outcome.samples.begin(), outcome.samples.end())},
          {"cv", coefficient_of_variation(outcome.samples)},
          {"sample_count", static_cast<double>(outcome.samples.size())},
          {"calls_per_sample", static_cast<double>(outcome.calls_per_sample)}};
}

std::string to_line(const Row& row) { return dump(row_json(row, {})); }

std::optional<Row> parse_row(std::string_view line) {
  try {
    return row_from(Json::parse(line));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::string to_line(const Source& source) { return dump(source_json(source)); }

std::optional<Source> parse_source(std::string_view line) {
  try {
    return source_from(Json::parse(line));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::string to_document(const Results& results, const Writer& writer) {
  std::map<std::string, Position, std::less<>> positions;
  for (const Row& row : results.rows) {
    const auto next = static_cast<std::int64_t>(positions.size());
    const auto [position, added] = positions.try_emplace(row.name, Position{.family = next});
    if (!added) ++position->second.repetitions;
  }
  Json context = machine_context(writer);
  context["benanza"] = source_json(results.source);
  std::string text = "{\n\"context\": " + dump(context, 1) + ",\n\"benchmarks\": [";
  std::string_view separator = "\n";
  for (const Row& row : results.rows) {
    text.append(separator).append(dump(row_json(row, positions.at(row.name))));
    separator = ",\n";
  }
  return text + "\n]\n}\n";
}

Results parse_document(std::string_view text, const std::filesystem::path& path) {
  const auto fail = [&](const std::string& problem) {
    return Error(path.string() + ": " + problem + "; --fresh starts it over, or name another file");
  };
  try {
    const Json document = Json::parse(text);
    const Json& own = document.at("context").at("benanza");
    if (own.at("schema") != results_schema) {
      throw fail("results of schema " + own.at("schema").dump() + ", this program writes " +
                 std::to_string(results_schema));
    }
    Results results{.source = source_from(own), .rows = {}};
    for (const Json& row : document.at("benchmarks")) results.rows.push_back(row_from(row));
    return results;
  } catch (const Error&) {
    throw;
  } catch (const Json::parse_error&) {
    throw fail("not JSON, or cut short");
  } catch (const std::exception&) {
    throw fail("not a file of benanza results");
  }
}

void require_same_source(const Source& found, const Source& wanted,
                         const std::filesystem::path& path) {
  const auto fail = [&](const std::string& field, const std::string& there,
                        const std::string& here) {
    return Error(path.string() + ": measured with " + field + " = " + there + ", now it is " +
                 here + "; --fresh starts it over, or name another file");
  };
  if (found.backend != wanted.backend) throw fail("backend", found.backend, wanted.backend);
  System fields = found.system;
  fields.insert(wanted.system.begin(), wanted.system.end());
  const auto value = [](const System& system, const std::string& field) {
    const auto entry = system.find(field);
    return entry == system.end() ? std::string("(unknown)") : '"' + entry->second + '"';
  };
  for (const auto& [field, ignored] : fields) {
    const std::string there = value(found.system, field);
    const std::string here = value(wanted.system, field);
    if (there != here) throw fail(field, there, here);
  }
}

}  // namespace benanza
