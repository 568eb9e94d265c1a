#include "core/results_file/row.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "core/results_file/row_members.h"
#include "core/statistics/summary.h"

namespace benanza {
namespace {

using nlohmann::json;

constexpr std::array statuses{Status::ok, Status::unsupported, Status::incorrect, Status::failed};

}  // namespace

std::string_view to_string(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::unsupported:
      return "unsupported";
    case Status::incorrect:
      return "incorrect";
    case Status::failed:
      return "failed";
  }
  return "failed";
}

std::optional<Status> parse_status(std::string_view text) {
  for (const Status status : statuses) {
    if (text == to_string(status)) return status;
  }
  return std::nullopt;
}

void append_json(std::string& out, std::string_view text) {
  const bool plain = std::ranges::all_of(
      text, [](unsigned char c) { return c >= ' ' && c != '"' && c != '\\' && c < 0x7f; });
  if (!plain) {
    out += json(text).dump(-1, ' ', true, json::error_handler_t::replace);
    return;
  }
  out += '"';
  out += text;
  out += '"';
}

std::optional<double> finite(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

void add_fact(Row& row, std::string_view name, const Fact& value) {
  if (const RowMember* const member = find_row_member(name)) return member->set(row, value);
  MemberWriter writer(row.facts);
  std::visit([&](const auto& held) { writer.add(name, held); }, value);
}

void replace_facts(Row& row, const Facts& facts) {
  Facts others = facts_of(row);
  for (const auto& [name, value] : facts) others[name] = value;
  row.facts.clear();
  for (const auto& [name, value] : others) add_fact(row, name, value);
}

Facts facts_of(const Row& row) {
  Facts facts;
  const json members = json::parse('{' + row.facts + '}', nullptr, false);
  if (members.is_discarded()) return facts;
  for (const auto& [name, value] : members.items()) {
    if (value.is_boolean()) facts[name] = value.get<bool>();
    if (value.is_number()) facts[name] = value.get<double>();
    if (value.is_string()) facts[name] = value.get<std::string>();
  }
  return facts;
}

namespace {

/// The numbers that follow from the samples and others.
std::vector<Counter> derived_counters(const Row& row) {
  const double seconds = median(row.samples);
  std::vector<Counter> found;
  if (row.flops) found.push_back({"FLOP/s", *row.flops / seconds});
  if (row.bytes) found.push_back({"bytes/s", *row.bytes / seconds});
  found.push_back({"min", *std::ranges::min_element(row.samples)});
  found.push_back({"cv", coefficient_of_variation(row.samples)});
  found.push_back({"sample_count", static_cast<double>(row.samples.size())});
  return found;
}

}  // namespace

std::vector<Counter> counters(const Row& row) {
  if (row.status != Status::ok) return {};
  std::vector<Counter> found = derived_counters(row);
  const auto add = [&](std::string_view name, const auto& value) {
    if (value) found.push_back({name, static_cast<double>(*value)});
  };
  add("FLOPs", row.flops);
  add("bytes", row.bytes);
  add("workspace_bytes", row.workspace_bytes);
  add("calls_per_sample", row.calls_per_sample);
  return found;
}

std::string members_text(const Row& row) {
  std::string text;
  MemberWriter writer(text);
  for (const RowMember& member : row_members()) member.write(row, member.name, writer);
  writer.add_all(row.facts);
  return text;
}

std::string row_text(const Row& row, const RowPosition& position) {
  const bool ok = row.status == Status::ok;
  const std::string name = to_string(row.variant);
  const double seconds = ok ? median(row.samples) : 0;
  std::string text;
  MemberWriter members(text);
  const auto add_number = [&](std::string_view member, auto value) {
    members.add(member, static_cast<double>(value));
  };
  members.add("name", std::string_view(name));
  add_number("family_index", position.family);
  add_number("per_family_instance_index", 0);
  members.add("run_name", std::string_view(name));
  members.add("run_type", "iteration");
  add_number("repetitions", position.repetitions);
  add_number("repetition_index", row.repetition);
  add_number("threads", 1);
  const auto samples = static_cast<std::int64_t>(row.samples.size());
  add_number("iterations", ok ? samples * row.calls_per_sample.value_or(1) : 0);
  add_number("real_time", seconds * 1e6);
  add_number("cpu_time", seconds * 1e6);
  members.add("time_unit", "us");
  members.add("status", to_string(row.status));
  if (ok) {
    for (const Counter& counter : derived_counters(row)) members.add(counter.name, counter.value);
    members.add("samples", std::span<const double>(row.samples));
  } else {
    members.add("reason", std::string_view(row.reason));
    members.add("error_occurred", true);
    members.add("error_message",
                std::string_view(std::string(to_string(row.status)) + ": " + row.reason));
  }
  members.add_all(members_text(row));
  return '{' + std::move(text) + '}';
}

}  // namespace benanza
