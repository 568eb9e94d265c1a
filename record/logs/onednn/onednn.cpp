// oneDNN's own log, ONEDNN_VERBOSE: one line per call, with its time, on standard output. Versions
// 1.x to 3.x:
//   onednn_verbose[,v1][,TIMESTAMP][,primitive],exec,ENGINE,PRIMITIVE,IMPLEMENTATION,PROP_KIND,
//   MEMORY,ATTRIBUTES,AUXILIARY,PROBLEM,MILLISECONDS
#include <algorithm>
#include <array>
#include <vector>

#include "core/base/text.h"
#include "record/logs/onednn/problems.h"
#include "record/logs/shared/log.h"

namespace benanza::record {
namespace {

/// Version 2 and later read ONEDNN_ and DNNL_, version 1 reads DNNL_, and copies inside frameworks
/// read MKLDNN_.
constexpr std::string_view switches[] = {"ONEDNN_VERBOSE", "DNNL_VERBOSE", "MKLDNN_VERBOSE"};

/// Returns the user's value, extended so that calls are logged; empty if the log is off.
std::optional<std::string> with_calls(const std::string& value) {
  if (const auto level = text::number<int>(value)) {
    return *level >= 1 ? std::optional(value) : std::nullopt;
  }
  if (value.empty() || value == "none") return std::nullopt;
  const bool has = value.find("all") != std::string::npos ||
                   value.find("profile_exec") != std::string::npos ||
                   value.find("profile,") != std::string::npos || value.ends_with("profile");
  return has ? value : value + ",profile_exec";
}

SwitchedOn switch_onednn_on(Environment& environment, const std::filesystem::path&) {
  SwitchedOn result;
  for (const std::string_view name : switches) {
    const auto wanted = with_calls(environment.find(name).value_or(""));
    if (wanted) result.keeps_lines = true;
    environment.set(name, wanted.value_or("1"));
  }
  // In versions that support it, each line then contains the start time of its call.
  environment.set("ONEDNN_VERBOSE_TIMESTAMP", "1");
  environment.set("DNNL_VERBOSE_TIMESTAMP", "1");
  return result;
}

constexpr std::array<std::string_view, 3> markers{"onednn_verbose", "dnnl_verbose",
                                                  "mkldnn_verbose"};
/// Components that add their name to a line (since 3.3).
constexpr std::array<std::string_view, 4> components{"primitive", "graph", "common", "ukernel"};
/// Prefixes, e.g. of "create:cache_hit".
constexpr std::array<std::string_view, 5> other_operations{"create", "error", "warn", "exec:check",
                                                           "compile"};

template <std::size_t count>
bool is_one_of(std::string_view text, const std::array<std::string_view, count>& list) {
  return std::ranges::find(list, text) != list.end();
}

std::optional<double> number(std::string_view text) {
  const auto value = text::number<double>(text);
  // Of milliseconds since 1970, too; infinity is none.
  constexpr double most = 1e14;
  return value && *value >= 0 && *value < most ? value : std::nullopt;
}

bool is_version(std::string_view text) {
  return text.size() > 1 && text.front() == 'v' && number(text.substr(1));
}

std::string without_end(std::string_view text) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return std::string(text);
}

std::optional<LogEntry> read_line(std::string_view line) {
  const std::vector<std::string_view> fields = text::split(line, ',');
  std::size_t at = 0;
  const auto here = [&] { return at < fields.size() ? fields[at] : std::string_view(); };
  if (!is_one_of(here(), markers)) return std::nullopt;
  ++at;
  if (is_version(here())) ++at;
  LogEntry entry;
  if (const auto milliseconds = number(here())) {
    entry.started = *milliseconds * 1e-3;
    ++at;
  }
  const std::string_view component = is_one_of(here(), components) ? here() : "primitive";
  if (is_one_of(here(), components)) ++at;
  const std::string_view operation = here();
  if (operation == "info") {
    if (++at < fields.size()) entry.words = line.substr(fields[at].data() - line.data());
    // The names of the columns are no description.
    if (entry.words.find("template:") > 5) entry.kind = LogEntry::Kind::about_library;
    entry.text.source = "onednn";
    return entry;
  }
  if (std::ranges::any_of(other_operations,
                          [&](std::string_view known) { return operation.starts_with(known); })) {
    return entry;
  }
  if (operation != "exec") return std::nullopt;
  // The primitives of a graph's partition print their own lines.
  if (component == "graph") return entry;
  constexpr std::size_t call_fields = 9;
  if (fields.size() - at - 1 != call_fields) return std::nullopt;
  entry.milliseconds = number(fields.back());
  constexpr double day = 86400e3;
  if (!entry.milliseconds || *entry.milliseconds > day) return std::nullopt;
  const auto field = [&](std::size_t index) { return without_end(fields[at + 1 + index]); };
  entry.kind = LogEntry::Kind::call;
  entry.text = {.source = "onednn",
                .engine = field(0),
                .kind = field(1),
                .implementation = field(2),
                .prop_kind = field(3),
                .memory = field(4),
                .attributes = field(5),
                .auxiliary = field(6),
                .problem = field(7)};
  return entry;
}

}  // namespace

Log onednn_log() {
  return {.sources = {"onednn"},
          .switch_on = switch_onednn_on,
          .markers = {"onednn_verbose,", "dnnl_verbose,", "mkldnn_verbose,"},
          .read_line = read_line,
          .problems_of = onednn::problems_of};
}

}  // namespace benanza::record
