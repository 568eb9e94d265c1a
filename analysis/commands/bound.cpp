// benanza-analyze bound: the lower-bound latency of models on what was measured.

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>

#include "base/error.h"
#include "commands/command.h"
#include "comparison/read_profile.h"
#include "report/bound_report.h"

namespace benanza {
namespace {

struct Options {
  std::vector<std::string> graphs;
  std::vector<std::string> results;
  std::vector<std::string> profiles;
  std::vector<std::string> precisions{"fp32"};
  std::string layout;
  std::string backend;
  bool cold = false;
  std::string fallback;
  std::string movement = "exclude";
  bool allow_missing = false;
  std::string format = "table";
  std::string layers = "15";
};

Precision precision_of(const std::string& text, std::string_view flag) {
  if (const auto precision = parse_precision(text)) return *precision;
  throw Error(
      fmt::format("{} {}: not a precision: say fp32, tf32, fp16, bf16, int8 or fp8", flag, text));
}

Choice choice_of(const Options& options, const std::string& precision) {
  Choice choice{.precision = precision_of(precision, "--precision"), .cold = options.cold};
  if (!options.layout.empty()) {
    choice.layout = parse_layout(options.layout);
    if (!choice.layout) {
      throw Error("--layout " + options.layout + ": not a layout: say nchw, nhwc, any or plain");
    }
  }
  if (!options.backend.empty()) choice.backend = options.backend;
  if (!options.fallback.empty()) choice.fallback = precision_of(options.fallback, "--fallback");
  if (choice.fallback == choice.precision) choice.fallback.reset();
  return choice;
}

std::size_t rows_of(const std::string& text) {
  if (text == "all") return std::numeric_limits<std::size_t>::max();
  const bool number =
      !text.empty() && text.size() < 10 &&
      std::all_of(text.begin(), text.end(), [](char c) { return '0' <= c && c <= '9'; });
  if (!number) throw Error("--layers " + text + ": say a number or all");
  return std::stoul(text);
}

void require_backend(const std::string& backend, const Results& results) {
  if (backend.empty() || results.systems.contains(backend)) return;
  std::string known;
  for (const auto& [name, system] : results.systems) known += ' ' + name;
  throw Error("--backend " + backend + ": has no results; there are results of:" + known);
}

/// Names the first few; the report with --allow-missing names them all.
void require_complete(const BoundReport& report) {
  std::string named;
  std::size_t count = 0;
  for (std::size_t layer = 0; layer < report.times.size(); ++layer) {
    for (const Gap& gap : report.times[layer].gaps) {
      if (++count > 3) continue;
      named += fmt::format("{}{} ({}; layer \"{}\")", named.empty() ? "" : ", ", gap.key,
                           gap.reason, report.graph->layers[layer].name);
    }
  }
  if (count == 0) return;
  throw Error(
      fmt::format("{}, {}: {} measurement{} missing: {}{}; run the benchmarks, or say "
                  "--allow-missing for a partial bound",
                  title(*report.graph), to_string(report.choice.precision), count,
                  count == 1 ? " is" : "s are", named, count > 3 ? ", ..." : ""));
}

void require_used(const Profile& profile, const std::vector<Graph>& graphs) {
  std::string titles;
  for (const Graph& graph : graphs) {
    if (is_of(profile, graph)) return;
    if (!titles.empty()) titles += "; ";
    titles += title(graph);
  }
  throw Error(
      fmt::format("{}: profile of another model: of {}{}, and the graphs are of {}; give "
                  "that model's --graph, or leave the profile out",
                  profile.path.string(), profile.model,
                  profile.batch ? fmt::format(", batch {}", *profile.batch) : "", titles));
}

std::string answer(const Options& options) {
  if (options.graphs.empty()) throw Error("say which model: --graph <model>.graph.json");
  if (options.results.empty()) throw Error("say where the results are: --results FILE|DIR");
  // Flags first: a typing error should not cost the reading of many files.
  std::vector<Choice> choices;
  for (const std::string& precision : options.precisions) {
    choices.push_back(choice_of(options, precision));
  }
  const std::size_t rows = rows_of(options.layers);
  const Movement movement = options.movement == "include" ? Movement::include : Movement::exclude;

  std::vector<Graph> graphs;
  for (const std::string& path : options.graphs) graphs.push_back(read_graph(path));
  std::vector<Profile> profiles;
  for (const std::string& path : options.profiles) {
    profiles.push_back(read_profile(path));
    require_used(profiles.back(), graphs);
  }
  const Results results = read_results({options.results.begin(), options.results.end()});
  require_backend(options.backend, results);

  BoundReports reports{.reports = {}, .systems = results.systems};
  for (const Graph& graph : graphs) {
    for (const Choice& choice : choices) {
      BoundReport report = make_report(graph, results.measurements, choice, movement);
      if (!options.allow_missing) require_complete(report);
      for (const Profile& profile : profiles) {
        if (!is_of(profile, graph)) continue;
        Comparison comparison = compare(graph, report.times, report.bounds, movement, profile);
        comparison.warnings = differences(profile, choice.precision, results.systems);
        report.comparisons.push_back(std::move(comparison));
      }
      reports.reports.push_back(std::move(report));
    }
  }
  if (options.format == "json") return bound_json(reports);
  if (options.format == "csv") return bound_csv(reports);
  return bound_table(reports, rows);
}

void add(CLI::App& program) {
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      program.add_subcommand("bound", "Lower-bound latency, sequential and parallel");
  command->add_option("--graph", options->graphs, "<model>.graph.json of benanza-generate")
      ->type_name("FILE");
  command->add_option("--results", options->results, "What the suites wrote; folders are searched")
      ->type_name("FILE|DIR");
  command->add_option("--profile", options->profiles, "A framework's run of one of the models")
      ->type_name("FILE");
  command->add_option("--precision", options->precisions, "One report each (default fp32)")
      ->delimiter(',')
      ->type_name("P[,P...]");
  command->add_option("--layout", options->layout, "Only this layout: nchw, nhwc, any");
  command->add_option("--backend", options->backend, "Only this library");
  command->add_flag("--cold", options->cold, "Times with cold caches");
  command->add_option("--fallback", options->fallback,
                      "Precision of layers not supported at the asked one");
  command->add_option("--movement", options->movement, "Layers that only move bytes")
      ->check(CLI::IsMember({"exclude", "include"}))
      ->capture_default_str();
  command->add_flag("--allow-missing", options->allow_missing,
                    "A partial bound where measurements are missing");
  command->add_option("--format", options->format, "Output")
      ->check(CLI::IsMember({"table", "json", "csv"}))
      ->capture_default_str();
  command->add_option("--layers", options->layers, "Rows of the tables, or all")
      ->type_name("N|all")
      ->capture_default_str();
  command->callback([options] {
    const std::string text = answer(*options);
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() ||
        std::fflush(stdout) != 0) {
      throw Error("cannot write the report to standard output");
    }
  });
}

}  // namespace

Command bound_command() { return {.add = add}; }

}  // namespace benanza
