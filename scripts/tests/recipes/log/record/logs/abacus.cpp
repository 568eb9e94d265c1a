// A log of one line a call: "abacus,add,EXTENT,MILLISECONDS".
#include <charconv>

#include "record/logs/shared/log.h"

namespace benanza::record {
namespace {

constexpr std::string_view marker = "abacus,add,";

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole ? std::optional(value) : std::nullopt;
}

SwitchedOn switch_abacus_on(Environment& environment, const std::filesystem::path&) {
  environment.set("ABACUS_LOG", "1");
  return {};
}

std::optional<LogEntry> read_abacus_line(std::string_view line) {
  if (!line.starts_with(marker)) return std::nullopt;
  line.remove_prefix(marker.size());
  const std::size_t comma = line.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  LogEntry entry{.kind = LogEntry::Kind::call};
  entry.text = {.source = "abacus",
                .engine = "cpu",
                .kind = "add",
                .problem = std::string(line.substr(0, comma))};
  entry.milliseconds = number<double>(line.substr(comma + 1));
  if (!entry.milliseconds) return std::nullopt;
  return entry;
}

CallProblems abacus_problems(const CallText& text) {
  const auto extent = number<std::int64_t>(text.problem);
  if (!extent) return {.reason = "add " + text.problem + ": no extent"};
  const Dims dims{*extent};
  return {.problems = {{Binary{.kind = BinaryKind::add, .a = dims, .b = dims}, {}}},
          .precision = Precision::fp32};
}

}  // namespace

Log abacus_log() {
  return {.sources = {"abacus"},
          .switch_on = switch_abacus_on,
          .markers = {marker},
          .read_line = read_abacus_line,
          .problems_of = abacus_problems};
}

}  // namespace benanza::record
