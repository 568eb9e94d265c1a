// benanza-analyze fusion: what models gain where layers are done by one call of the library.

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>
#include <set>

#include "base/error.h"
#include "commands/command.h"
#include "report/fusion_report.h"

namespace benanza {
namespace {

struct Options {
  std::vector<std::string> graphs;
  std::vector<std::string> results;
  std::vector<std::string> precisions{"fp32"};
  std::string layout;
  std::string backend;
  bool cold = false;
  std::string fallback;
  std::string movement = "exclude";
  bool allow_missing = false;
  std::string format = "table";
  std::size_t rows = 15;
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

void require_backend(const std::string& backend, const Results& results) {
  if (backend.empty() || results.systems.contains(backend)) return;
  std::string known;
  for (const auto& [name, system] : results.systems) known += ' ' + name;
  throw Error("--backend " + backend + ": has no results; there are results of:" + known);
}

/// Names the first few; the report with --allow-missing counts them all.
void require_complete(const FusionReport& report) {
  std::set<std::string> missing;
  const auto add = [&](const std::vector<LayerTime>& times) {
    for (const LayerTime& time : times) {
      for (const Gap& gap : time.gaps) missing.insert(gap.key + " (" + gap.reason + ")");
    }
  };
  add(report.layers);
  add(report.fusions);
  if (missing.empty()) return;
  std::string named;
  std::size_t count = 0;
  for (const std::string& one : missing) {
    if (++count <= 3) named += (named.empty() ? "" : ", ") + one;
  }
  throw Error(
      fmt::format("{}, {}: {} measurement{} missing: {}{}; run the benchmarks, or say "
                  "--allow-missing for a partial answer",
                  title(*report.graph), to_string(report.choice.precision), count,
                  count == 1 ? " is" : "s are", named, count > 3 ? ", ..." : ""));
}

std::string answer(const Options& options) {
  if (options.graphs.empty()) throw Error("say which model: --graph <model>.graph.json");
  if (options.results.empty()) throw Error("say where the results are: --results FILE|DIR");
  // Flags first: a typing error should not cost the reading of many files.
  std::vector<Choice> choices;
  for (const std::string& precision : options.precisions) {
    choices.push_back(choice_of(options, precision));
  }
  const Movement movement = options.movement == "include" ? Movement::include : Movement::exclude;
  std::vector<Graph> graphs;
  for (const std::string& path : options.graphs) graphs.push_back(read_graph(path));
  const Results results = read_results({options.results.begin(), options.results.end()});
  require_backend(options.backend, results);

  FusionReports reports{.reports = {}, .systems = results.systems};
  for (const Graph& graph : graphs) {
    for (const Choice& choice : choices) {
      reports.reports.push_back(make_fusion_report(graph, results.measurements, choice, movement));
      if (!options.allow_missing) require_complete(reports.reports.back());
    }
  }
  if (options.format == "json") return fusion_json(reports);
  if (options.format == "csv") return fusion_csv(reports);
  return fusion_table(reports, options.rows);
}

void add(CLI::App& program) {
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      program.add_subcommand("fusion", "What is gained where one call does several layers' work");
  command->add_option("--graph", options->graphs, "<model>.graph.json of benanza-generate")
      ->type_name("FILE");
  command->add_option("--results", options->results, "What the suites wrote; folders are searched")
      ->type_name("FILE|DIR");
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
                    "A partial answer where measurements are missing");
  command->add_option("--format", options->format, "Output")
      ->check(CLI::IsMember({"table", "json", "csv"}))
      ->capture_default_str();
  command->add_option("--rows", options->rows, "Fusions listed in the table")
      ->type_name("N")
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

Command fusion_command() { return {.add = add}; }

}  // namespace benanza
