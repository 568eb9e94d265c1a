#include "analysis/questions/common/flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <limits>

#include "core/base/error.h"
#include "core/base/text.h"

namespace benanza::analysis {
namespace {

/// Makes positional arguments required and shows defaults in the help.
void describe(CLI::Option& option, const std::string& name, const std::string& kind,
              bool has_default) {
  if (!name.starts_with('-')) option.required();
  if (!kind.empty()) option.type_name(kind);
  if (has_default) option.capture_default_str();
}

}  // namespace

void Flags::add(const std::string& name, std::string& value, const std::string& help,
                const std::string& kind) {
  describe(*command_.add_option(name, value, help), name, kind, !value.empty());
}

void Flags::add_required(const std::string& name, std::string& value, const std::string& help,
                         const std::string& kind) {
  command_.add_option(name, value, help)->required()->type_name(kind);
}

void Flags::add(const std::string& name, std::vector<std::string>& values, const std::string& help,
                const std::string& kind, char separator) {
  CLI::Option& option = *command_.add_option(name, values, help);
  describe(option, name, kind, false);
  if (separator != '\0') option.delimiter(separator);
}

void Flags::add(const std::string& name, bool& value, const std::string& help) {
  command_.add_flag(name, value, help);
}

void Flags::add(const std::string& name, double& value, double least, double most,
                const std::string& help) {
  command_.add_option(name, value, help)->check(CLI::Range(least, most))->capture_default_str();
}

void Flags::add_word(const std::string& name, std::string& value,
                     const std::vector<std::string>& words, const std::string& help) {
  command_.add_option(name, value, help)->check(CLI::IsMember(words))->capture_default_str();
}

void Flags::add_command(const std::string& name, const std::string& help,
                        const std::function<Action(Flags&)>& ask) {
  command_.require_subcommand(1);
  CLI::App* command = command_.add_subcommand(name, help);
  Flags flags(*command);
  command->callback(ask(flags));
}

void add_common_flags(Flags& flags, CommonFlags& values, const std::string& precisions) {
  add_input_flags(flags, values);
  add_filter_flags(flags, values, precisions);
  add_output_flags(flags, values);
}

void add_input_flags(Flags& flags, CommonFlags& values) {
  flags.add("--graph", values.graphs, "Models: <model>.graph.json of benanza-generate", "FILE");
  flags.add("--results", values.results,
            "Results of the benchmark suites: files, folders (searched), databases of `db import`",
            "FILE|DIR|DB");
  flags.add("--profile", values.profiles, "Profile of a framework running one of the models",
            "FILE");
}

void add_seen_flag(Flags& flags, CommonFlags& values) {
  flags.add("--seen", values.seen,
            "Profile of a framework whose kernels compete with the measured calls (seen-best)",
            "FILE");
}

void add_sequence_flag(Flags& flags, CommonFlags& values) {
  flags.add("--sequence", values.sequences,
            "Output of bench_* --sequence: the bound's calls, timed back to back", "FILE");
}

void add_plan_flag(Flags& flags, CommonFlags& values) {
  flags.add("--plan", values.plans,
            "Output of bench_plan --benchmark_out: the plan, timed as a whole", "FILE");
}

void add_filter_flags(Flags& flags, CommonFlags& values, const std::string& precisions) {
  if (!precisions.empty()) values.usual_precisions = CLI::detail::split(precisions, ',');
  flags.add("--precision", values.precisions,
            "One answer for each (default " + (precisions.empty() ? "all" : precisions) +
                (precisions == "fp32" ? ", or a recording's own)" : ")"),
            "P[,P...]", ',');
  flags.add("--layout", values.layout, "Only this layout: nchw, nhwc, any");
  flags.add("--backend", values.backends, "Only these libraries, e.g. cudnn,cublas", "L[,L...]",
            ',');
  flags.add("--cold", values.cold, "Use calls timed with cold caches; their sum is not a bound");
  flags.add_word("--weights", values.weights, {"auto", "cache"},
                 "Where calls find their weights. auto: in memory if the model's weights do not "
                 "fit the cache; cache: always in cache");
  flags.add(
      "--fallback", values.fallback,
      "Precision for layers that are not supported at the requested one, or none (default: fp32 "
      "for int8 and fp8)");
  flags.add("--max-workspace", values.max_workspace,
            "Only calls whose workspace is at most this: bytes, or 64K, 512M, 2G", "BYTES");
  flags.add_word("--movement", values.movement, {"exclude", "include"},
                 "Whether to count layers that only move bytes");
  flags.add("--allow-missing", values.allow_missing,
            "Answer even if measurements are missing; the answer is marked PARTIAL");
}

void add_output_flags(Flags& flags, CommonFlags& values) {
  flags.add_word("--format", values.format, {"table", "markdown", "json", "csv"}, "Output");
  flags.add("--rows,--layers", values.rows, "Rows of each table, or all", "N|all");
}

void add_html_flag(Flags& flags, CommonFlags& values) {
  flags.add("--html", values.html, "Also write the answer as an HTML page with plots", "HTML");
}

MeasurementFilter filter_of(const CommonFlags& flags, const std::string& precision) {
  MeasurementFilter filter{.precision = precision_of(precision, "--precision"),
                           .cold = flags.cold,
                           .weights_in_cache = flags.weights == "cache",
                           .inner_moves = flags.movement == "include"};
  if (!flags.layout.empty()) {
    filter.layout = parse_layout(flags.layout);
    if (!filter.layout) {
      throw Error("--layout " + flags.layout + ": not a layout: say nchw, nhwc, any or plain");
    }
  }
  filter.backends = flags.backends;
  if (!flags.fallback.empty() && flags.fallback != "none") {
    filter.fallback = precision_of(flags.fallback, "--fallback");
  }
  if (filter.fallback == filter.precision) filter.fallback.reset();
  if (!flags.max_workspace.empty()) {
    filter.max_workspace_bytes = bytes_of(flags.max_workspace, "--max-workspace");
  }
  return filter;
}

std::vector<std::string> precisions_of(const CommonFlags& flags, const std::vector<Graph>& graphs) {
  if (!flags.precisions.empty()) return flags.precisions;
  // A question about another precision than fp32 asks for that one.
  if (graphs.empty() || flags.usual_precisions != std::vector<std::string>{"fp32"}) {
    return flags.usual_precisions;
  }
  const Graph& first = graphs.front();
  for (const Graph& graph : graphs) {
    if (graph.precision == first.precision) continue;
    const auto stated = [](const Graph& one) {
      return one.precision.empty() ? "of no stated precision" : "of " + one.precision;
    };
    throw Error(fmt::format("{} is {}, {} is {}: say --precision", first.model, stated(first),
                            graph.model, stated(graph)));
  }
  return first.precision.empty() ? flags.usual_precisions : std::vector{first.precision};
}

std::size_t rows_of(const CommonFlags& flags) {
  const std::string& text = flags.rows;
  if (text == "all") return std::numeric_limits<std::size_t>::max();
  const bool number = !text.empty() && text.size() < 10 &&
                      std::ranges::all_of(text, [](char c) { return '0' <= c && c <= '9'; });
  if (!number) throw Error("--rows " + text + ": say a number or all");
  return std::stoul(text);
}

Precision precision_of(const std::string& text, std::string_view flag) {
  if (const auto precision = parse_precision(text)) return *precision;
  throw Error(
      fmt::format("{} {}: not a precision: say fp32, tf32, fp16, bf16, int8 or fp8", flag, text));
}

std::int64_t bytes_of(const std::string& text, std::string_view flag) {
  if (const auto value = text::bytes(text)) return *value;
  throw Error(fmt::format("{} {}: say bytes, as in 4096, 64K, 512M or 2G", flag, text));
}

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw Error("cannot write the report to standard output");
  }
}

std::set<std::int64_t> sizes_of(const std::string& text, std::string_view flag) {
  const auto number = [&](std::string_view part) {
    const auto value = text::number<std::int64_t>(part);
    if (value && *value >= 1) return *value;
    throw Error(fmt::format("{} {}: give sizes or a range, e.g. 3,6,12 or 1:512", flag, text));
  };
  std::set<std::int64_t> sizes;
  if (const auto colon = text.find(':'); colon != text.npos) {
    const std::int64_t first = number(std::string_view(text).substr(0, colon));
    const std::int64_t last = number(std::string_view(text).substr(colon + 1));
    if (last < first) {
      throw Error(fmt::format("{} {}: the last size is below the first", flag, text));
    }
    for (std::int64_t size = 1; size <= last; size *= 2) {
      for (const std::int64_t one : {size, size + size / 2}) {
        if (one >= first && one <= last) sizes.insert(one);
      }
    }
    sizes.insert({first, last});
    return sizes;
  }
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    sizes.insert(number(rest.substr(0, comma)));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return sizes;
}

std::int64_t size_of(const std::string& text, std::string_view flag, std::int64_t least) {
  const auto value = text::number<std::int64_t>(text);
  if (value && *value >= least) return *value;
  throw Error(fmt::format("{} {}: say a whole number from {} on", flag, text, least));
}

}  // namespace benanza::analysis
