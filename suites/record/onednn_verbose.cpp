#include "suites/record/onednn_verbose.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace benanza::record {
namespace {

constexpr std::array<std::string_view, 3> markers{"onednn_verbose", "dnnl_verbose",
                                                  "mkldnn_verbose"};
/// Components that add their name to a line (since 3.3).
constexpr std::array<std::string_view, 4> components{"primitive", "graph", "common", "ukernel"};
/// Prefixes, e.g. of "create:cache_hit".
constexpr std::array<std::string_view, 5> other_operations{"create", "error", "warn", "exec:check",
                                                           "compile"};

template <std::size_t count>
bool is_one_of(std::string_view text, const std::array<std::string_view, count>& list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t comma = text.find(',');
    fields.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return fields;
    text.remove_prefix(comma + 1);
  }
}

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || stop != text.data() + text.size() || !(value >= 0)) {
    return std::nullopt;
  }
  return value;
}

bool is_version(std::string_view text) {
  return text.size() > 1 && text.front() == 'v' && number(text.substr(1));
}

std::string trimmed(std::string_view text) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return std::string(text);
}

}  // namespace

std::optional<OnednnLine> parse_onednn_line(std::string_view line) {
  const std::vector<std::string_view> fields = split(line);
  std::size_t at = 0;
  const auto here = [&] { return at < fields.size() ? fields[at] : std::string_view(); };
  if (!is_one_of(here(), markers)) return std::nullopt;
  ++at;
  if (is_version(here())) ++at;
  OnednnLine result;
  result.timestamp = number(here());
  if (result.timestamp) ++at;
  const std::string_view component = is_one_of(here(), components) ? here() : "primitive";
  if (is_one_of(here(), components)) ++at;
  const std::string_view operation = here();
  if (operation == "info") {
    result.kind = OnednnLine::Kind::info;
    if (++at < fields.size()) result.info = line.substr(fields[at].data() - line.data());
    return result;
  }
  if (std::any_of(other_operations.begin(), other_operations.end(),
                  [&](std::string_view known) { return operation.starts_with(known); })) {
    return result;
  }
  if (operation != "exec") return std::nullopt;
  // The primitives of a graph's partition print their own lines.
  if (component == "graph") return result;
  constexpr std::size_t call_fields = 9;
  if (fields.size() - at - 1 != call_fields) return std::nullopt;
  const auto milliseconds = number(fields.back());
  if (!milliseconds) return std::nullopt;
  const auto field = [&](std::size_t index) { return trimmed(fields[at + 1 + index]); };
  result.kind = OnednnLine::Kind::exec;
  result.milliseconds = *milliseconds;
  result.call = {.source = "onednn",
                 .engine = field(0),
                 .kind = field(1),
                 .implementation = field(2),
                 .prop_kind = field(3),
                 .memory = field(4),
                 .attributes = field(5),
                 .auxiliary = field(6),
                 .problem = field(7)};
  return result;
}

}  // namespace benanza::record
