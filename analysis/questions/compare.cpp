// benanza-analyze compare: what changed between two sets of results.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "analysis/questions/question.h"
#include "analysis/input/print.h"
#include "analysis/input/inputs.h"
#include "analysis/questions/common/answers.h"
#include "core/base/error.h"

namespace benanza::analysis {
namespace {

struct CompareOptions {
  QuestionFlags flags;
  std::string before;
  std::string after;
  double tolerance_percent = 5;
  bool all = false;
  bool fail = false;
};

/// "cudnn: cudnn_version 9.14.0, now 9.19.0": one line for each library, and those that only one
/// of the two has.
std::vector<std::string> system_changes(const Results& before, const Results& after) {
  std::vector<std::string> lines;
  for (const auto& [backend, system] : before.systems) {
    const auto now = after.systems.find(backend);
    if (now == after.systems.end()) {
      lines.push_back(backend + ": only before");
      continue;
    }
    std::string line;
    for (const auto& [field, old_value, new_value] : benanza::differences(system, now->second)) {
      line += fmt::format("{}{} {}, now {}", line.empty() ? "" : "; ", field,
                          old_value.value_or("not stated"), new_value.value_or("not stated"));
    }
    lines.push_back(backend + ": " + (line.empty() ? "the same system" : line));
  }
  for (const auto& [backend, system] : after.systems) {
    if (!before.systems.contains(backend)) lines.push_back(backend + ": only after");
  }
  return lines;
}

ModelTimes model_times(const Graph& graph, const Results& results, const Choice& choice,
                       Movement movement, const CompareOptions& options, const std::string& path) {
  ModelTimes model{.times = layer_times(graph, results.measurements, choice)};
  if (!options.flags.allow_missing) {
    require_complete(graph, model.times, std::string(to_string(choice.precision)) + ", " + path);
  }
  model.bounds = bounds(graph, model.times, movement);
  return model;
}

struct Answered {
  Page page{.command = "compare"};
  std::size_t slower = 0;
  std::size_t lost = 0;
};

Error nothing_in_common(const CompareOptions& options, const std::string& where) {
  return Error(options.before + " and " + options.after + ": no problem has a time" + where +
               " and was measured in both; measure the same models with both");
}

Answered answer_compare(const CompareOptions& options) {
  const QuestionFlags& flags = options.flags;
  const double tolerance = options.tolerance_percent / 100;
  const Movement movement = flags.movement == "include" ? Movement::include : Movement::exclude;
  std::vector<Choice> choices;
  for (const std::string& precision : flags.precisions) {
    choices.push_back(choice_of(flags, precision));
  }
  if (choices.empty()) {
    for (const Precision precision : all_precisions) {
      choices.push_back(choice_of(flags, std::string(to_string(precision))));
    }
  }
  std::vector<Graph> graphs;
  for (const std::string& path : flags.graphs) graphs.push_back(read_graph(path));
  const std::optional<KeySet> wanted =
      graphs.empty() ? std::nullopt : std::optional(problem_keys(graphs));
  const Results before = read_results({options.before}, wanted);
  const Results after = read_results({options.after}, wanted);

  Answered answered;
  for (const auto& [backend, system] : after.systems) answered.page.systems[backend] = system;
  const std::vector<std::string> lines = system_changes(before, after);
  for (const Choice& choice : choices) {
    const Changes found = changes(before.measurements, after.measurements, choice, tolerance);
    if (found.problems.empty() && found.calls.empty()) {
      if (flags.precisions.empty()) continue;
      throw nothing_in_common(options, " at " + std::string(to_string(choice.precision)));
    }
    answered.slower += totals(found.problems).of(Turn::slower);
    answered.lost += totals(found.problems).of(Turn::lost);
    Section section = changes_section(choice, found, tolerance, options.all);
    section.lines.insert(section.lines.begin(), lines.begin(), lines.end());
    section.facts["systems_before"] = before.systems;
    answered.page.sections.push_back(std::move(section));
    for (const Graph& graph : graphs) {
      answered.page.sections.push_back(model_changes_section(
          graph, choice, movement,
          model_times(graph, before, choice, movement, options, options.before),
          model_times(graph, after, choice, movement, options, options.after)));
    }
  }
  if (answered.page.sections.empty()) throw nothing_in_common(options, "");
  return answered;
}

void compare_results(const CompareOptions& options) {
  const std::size_t rows = rows_of(options.flags);
  const Answered answered = answer_compare(options);
  print(page_text(answered.page, options.flags.format, rows));
  if (!options.fail || answered.slower + answered.lost == 0) return;
  throw Error(fmt::format("{} problems are slower by more than {:g}%, {} are lost", answered.slower,
                          options.tolerance_percent, answered.lost));
}

void add_compare(CLI::App& program) {
  const auto options = std::make_shared<CompareOptions>();
  CLI::App* command = program.add_subcommand(
      "compare", "What became slower, faster, lost or gained between two sets of results");
  command->add_option("before", options->before, "Results of one library, version or machine")
      ->required()
      ->type_name("FILE|DIR|DB");
  command->add_option("after", options->after, "Results of another")
      ->required()
      ->type_name("FILE|DIR|DB");
  command
      ->add_option("--graph", options->flags.graphs,
                   "<model>.graph.json: only its problems, and its bound before and after")
      ->type_name("FILE");
  add_choice_flags(*command, options->flags, "");
  command
      ->add_option("--tolerance", options->tolerance_percent,
                   "Times that differ by no more are the same, in percent")
      ->check(CLI::Range(0.0, 1000.0))
      ->capture_default_str();
  command->add_flag("--all", options->all, "Rows of what is the same, too");
  command->add_flag("--fail", options->fail,
                    "End with an error where a problem is slower, or lost");
  command->callback([options] { compare_results(*options); });
}

}  // namespace

Command compare_command() { return {.add = add_compare}; }

}  // namespace benanza::analysis
