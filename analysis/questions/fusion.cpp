// benanza-analyze fusion: what models gain where layers are done by one call of the library.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <set>

#include "analysis/questions/question.h"
#include "analysis/input/print.h"
#include "analysis/input/inputs.h"
#include "analysis/questions/fusion/report.h"
#include "core/base/error.h"

namespace benanza::analysis {
namespace {

/// Names the first few fused calls that were not measured; the report with --allow-missing counts
/// them all.
void require_fusions(const FusionReport& report) {
  std::set<std::string> missing;
  for (const LayerTime& time : report.fusions) {
    for (const Gap& gap : time.gaps) missing.insert(gap.key + " (" + gap.reason + ")");
  }
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

std::string answer_fusion(const QuestionFlags& flags) {
  const Question question = read_question(flags);
  FusionReports reports{.reports = {}, .systems = question.results.systems};
  for (const Graph& graph : question.graphs) {
    for (const Choice& choice : question.choices) {
      FusionReport report =
          make_fusion_report(graph, question.results.measurements, choice, question.movement);
      if (!question.allow_missing) {
        require_complete(graph, report.layers, to_string(choice.precision));
        require_fusions(report);
      }
      reports.reports.push_back(std::move(report));
    }
  }
  if (flags.format == "json") return fusion_json(reports);
  if (flags.format == "csv") return fusion_csv(reports);
  return fusion_table(reports, question.rows);
}

void add_fusion(CLI::App& program) {
  const auto flags = std::make_shared<QuestionFlags>();
  CLI::App* command =
      program.add_subcommand("fusion", "What is gained where one call does several layers' work");
  add_flags(*command, *flags);
  command->callback([flags] { print(answer_fusion(*flags)); });
}

}  // namespace

Command fusion_command() { return {.add = add_fusion}; }

}  // namespace benanza::analysis
