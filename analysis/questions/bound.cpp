// benanza-analyze bound: the lower-bound latency of models on what was measured.

#include <CLI/CLI.hpp>
#include <memory>

#include "analysis/questions/question.h"
#include "analysis/input/print.h"
#include "analysis/input/inputs.h"
#include "analysis/questions/common/answers.h"
#include "analysis/questions/bound/report.h"
#include "core/base/error.h"

namespace benanza::analysis {
namespace {

struct BoundOptions {
  QuestionFlags flags;
  bool layouts = false;
};

void require_complete(const Graph& graph, const Choice& choice, const LayoutPlan& plan) {
  require_complete(graph, plan.times, to_string(choice.precision));
  if (plan.unmeasured.empty()) return;
  throw Error(title(graph) + ": the change of layout " + plan.unmeasured.front() +
              " is not measured; run the benchmarks, or say --allow-missing for a partial bound");
}

/// The same per layout, and with the best layout of each layer.
std::string layouts_answer(const Question& question, const std::string& format) {
  Page page{.command = "bound", .systems = question.results.systems, .sections = {}};
  const MeasurementSet& measurements = question.results.measurements;
  for (const Graph& graph : question.graphs) {
    for (const Choice& choice : question.choices) {
      if (choice.layout) throw Error("--layouts compares layouts: leave --layout out");
      const LayoutPlans plans = layout_plans(graph, measurements, choice, question.movement);
      if (!question.allow_missing) require_complete(graph, choice, plans.best);
      const auto times = layer_times(graph, measurements, choice);
      page.sections.push_back(
          layouts_section(graph, choice, plans, bounds(graph, times, question.movement)));
    }
  }
  return page_text(page, format, question.rows);
}

std::string answer_bound(const BoundOptions& options) {
  const QuestionFlags& flags = options.flags;
  const Question question = read_question(flags);
  if (options.layouts) return layouts_answer(question, flags.format);
  BoundReports reports{.reports = {}, .systems = question.results.systems};
  for (const Graph& graph : question.graphs) {
    for (const Choice& choice : question.choices) {
      BoundReport report =
          make_report(graph, question.results.measurements, choice, question.movement);
      if (!question.allow_missing) {
        require_complete(graph, report.times, to_string(choice.precision));
      }
      for (const Profile& profile : question.profiles) {
        if (!is_of(profile, graph)) continue;
        Comparison comparison =
            compare(graph, report.times, report.bounds, question.movement, profile);
        comparison.warnings = differences(profile, choice.precision, question.results.systems);
        report.comparisons.push_back(std::move(comparison));
      }
      reports.reports.push_back(std::move(report));
    }
  }
  if (flags.format == "json") return bound_json(reports);
  if (flags.format == "csv") return bound_csv(reports);
  return bound_table(reports, question.rows);
}

void add_bound(CLI::App& program) {
  const auto options = std::make_shared<BoundOptions>();
  CLI::App* command =
      program.add_subcommand("bound", "Lower-bound latency, sequential and parallel");
  add_flags(*command, options->flags);
  command->add_flag("--layouts", options->layouts,
                    "In nchw, in nhwc, and in the best mix with the changes between them counted");
  command->callback([options] { print(answer_bound(*options)); });
}

}  // namespace

Command bound_command() { return {.add = add_bound}; }

}  // namespace benanza::analysis
