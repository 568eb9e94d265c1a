#include "core/results_file/row.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "core/base/error.h"
#include "core/statistics/summary.h"

namespace benanza {
namespace {

using nlohmann::json;

constexpr std::array statuses{Status::ok, Status::unsupported, Status::incorrect, Status::failed};

std::string json_number(double value) {
  constexpr double exact_limit = 9007199254740992;  // 2^53
  char text[32];
  const bool whole = value == std::trunc(value) && std::abs(value) <= exact_limit;
  const auto [end, error] =
      whole ? std::to_chars(text, text + sizeof text, static_cast<std::int64_t>(value))
            : std::to_chars(text, text + sizeof text, value);
  return {text, end};
}

/// Builds a row's text.
class Members {
 public:
  void add(std::string_view name, std::string_view value) { add_fact(text_, name, value); }
  void add(std::string_view name, const char* value) { add(name, std::string_view(value)); }
  template <class Number>
  requires std::is_arithmetic_v<Number> &&
      (!std::is_same_v<Number, bool>)void add(std::string_view name, Number value) {
    add_fact(text_, name, static_cast<double>(value));
  }
  void add_true(std::string_view name) { add_fact(text_, name, true); }
  void add_raw(std::string_view members) {
    if (members.empty()) return;
    text_ += ',';
    text_ += members;
  }
  void add(std::string_view name, const std::vector<double>& values) {
    std::string list = "[";
    for (const double value : values) {
      if (list.size() > 1) list += ',';
      list += json_number(value);
    }
    add_raw('"' + std::string(name) + "\":" + list + ']');
  }
  std::string take() { return '{' + std::move(text_) + '}'; }

 private:
  std::string text_;
};

std::optional<double> number(const Facts& facts, const std::string& name) {
  const auto found = facts.find(name);
  if (found == facts.end()) return std::nullopt;
  const double* value = std::get_if<double>(&found->second);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

/// Rows without the fact "company" were written before November 2026; its causes began like this.
constexpr std::array<std::string_view, 3> old_company{"steal ", "other processes",
                                                      "another process"};

constexpr std::string_view first_choice_fact = "\"first_choice\":true";

/// Searches without parsing: called for every row, and few match. Cannot match inside a string,
/// where quotation marks are escaped.
bool holds(const Row& row, std::string_view fact) {
  return ::memmem(row.facts.data(), row.facts.size(), fact.data(), fact.size()) != nullptr;
}

/// The number that follows `begin`, the name of a fact; empty if the row does not have it.
template <class Number>
std::optional<Number> number_after(const Row& row, std::string_view begin) {
  const std::size_t at = row.facts.find(begin);
  if (at == std::string::npos) return std::nullopt;
  Number number = 0;
  const char* const first = row.facts.data() + at + begin.size();
  const auto [end, error] = std::from_chars(first, row.facts.data() + row.facts.size(), number);
  return error == std::errc{} ? std::optional(number) : std::nullopt;
}

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
  const bool plain = std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return c >= ' ' && c != '"' && c != '\\' && c < 0x7f;
  });
  if (!plain) {
    out += json(text).dump(-1, ' ', true, json::error_handler_t::replace);
    return;
  }
  out += '"';
  out += text;
  out += '"';
}

namespace {

void add_name(std::string& facts, std::string_view name) {
  if (!facts.empty()) facts += ',';
  append_json(facts, name);
  facts += ':';
}

}  // namespace

void add_fact(std::string& facts, std::string_view name, bool value) {
  add_name(facts, name);
  facts += value ? "true" : "false";
}

void add_fact(std::string& facts, std::string_view name, double value) {
  if (!std::isfinite(value)) return;
  add_name(facts, name);
  facts += json_number(value);
}

void add_fact(std::string& facts, std::string_view name, std::string_view value) {
  add_name(facts, name);
  append_json(facts, value);
}

bool is_disturbed(const Row& row) {
  return holds(row, "\"disturbed\":") || holds(row, "\"throttled\":true");
}

bool had_company(const Row& row) {
  if (holds(row, "\"company\":true")) return true;
  if (holds(row, "\"company\":false")) return false;
  constexpr std::string_view begin = "\"disturbed\":\"";
  const std::size_t at = row.facts.find(begin);
  if (at == std::string::npos) return false;
  const std::size_t cause = at + begin.size();
  const std::string_view causes =
      std::string_view(row.facts).substr(cause, row.facts.find('"', cause) - cause);
  return std::ranges::any_of(old_company, [&](std::string_view one) {
    return causes.find(one) != std::string_view::npos;
  });
}

bool is_on_virtual_machine(const Row& row) { return holds(row, "\"virtual_machine\":true"); }

std::int64_t process_of(const Row& row) {
  return number_after<std::int64_t>(row, "\"process\":").value_or(1);
}

std::optional<double> energy_joules(const Row& row) {
  return number_after<double>(row, "\"energy_joules\":");
}

bool is_first_choice(const Row& row) { return holds(row, first_choice_fact); }

std::vector<std::string> kernel_names(const Row& row) {
  std::vector<std::string> names;
  if (!holds(row, "\"kernel_names\":")) return names;
  const Facts facts = facts_of(row);
  const auto fact = facts.find("kernel_names");
  const auto* text = fact == facts.end() ? nullptr : std::get_if<std::string>(&fact->second);
  for (std::size_t begin = 0; text != nullptr && begin < text->size();) {
    const std::size_t end = std::min(text->find(',', begin), text->size());
    names.push_back(text->substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

Row without_first_choice(Row row) {
  const std::size_t begin = row.facts.find(first_choice_fact);
  if (begin == std::string::npos) return row;
  std::size_t end = begin + first_choice_fact.size();
  // Also remove the comma after it or, for the last fact, the one before it.
  const bool is_last = end == row.facts.size();
  if (!is_last) ++end;
  const std::size_t first = is_last && begin > 0 ? begin - 1 : begin;
  row.facts.erase(first, end - first);
  return row;
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

std::vector<Counter> counters(const Row& row) {
  if (row.status != Status::ok) return {};
  const Facts facts = facts_of(row);
  const double seconds = median(row.samples);
  std::vector<Counter> found;
  const auto add = [&](std::string_view name, std::optional<double> value) {
    if (value) found.push_back({name, *value});
  };
  const std::optional<double> flops = number(facts, "FLOPs");
  const std::optional<double> bytes = number(facts, "bytes");
  if (flops) add("FLOP/s", *flops / seconds);
  if (bytes) add("bytes/s", *bytes / seconds);
  add("FLOPs", flops);
  add("bytes", bytes);
  if (row.workspace_bytes) add("workspace_bytes", static_cast<double>(*row.workspace_bytes));
  add("min", *std::min_element(row.samples.begin(), row.samples.end()));
  add("cv", coefficient_of_variation(row.samples));
  add("sample_count", static_cast<double>(row.samples.size()));
  add("calls_per_sample", number(facts, "calls_per_sample"));
  return found;
}

std::string row_text(const Row& row, const RowPosition& position) {
  const bool ok = row.status == Status::ok;
  const std::string name = to_string(row.variant);
  const Facts facts = facts_of(row);
  const double seconds = ok ? median(row.samples) : 0;
  Members members;
  members.add("name", name);
  members.add("family_index", position.family);
  members.add("per_family_instance_index", 0);
  members.add("run_name", name);
  members.add("run_type", "iteration");
  members.add("repetitions", position.repetitions);
  members.add("repetition_index", row.repetition);
  members.add("threads", 1);
  members.add("iterations", ok ? static_cast<double>(row.samples.size()) *
                                     number(facts, "calls_per_sample").value_or(1)
                               : 0);
  members.add("real_time", seconds * 1e6);
  members.add("cpu_time", seconds * 1e6);
  members.add("time_unit", "us");
  members.add("status", to_string(row.status));
  if (!ok) {
    members.add("reason", row.reason);
    members.add_true("error_occurred");
    members.add("error_message", std::string(to_string(row.status)) + ": " + row.reason);
    members.add_raw(row.facts);
    return members.take();
  }
  for (const Counter& counter : counters(row)) {
    if (!facts.contains(std::string(counter.name))) members.add(counter.name, counter.value);
  }
  members.add("samples", row.samples);
  if (row.heuristic_rank) members.add("heuristic_rank", *row.heuristic_rank);
  members.add_raw(row.facts);
  return members.take();
}

}  // namespace benanza
