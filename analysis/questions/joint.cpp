// benanza-analyze joint: every subset of the optimisations as one table.

#include <CLI/CLI.hpp>
#include <memory>

#include "analysis/questions/question.h"
#include "analysis/input/print.h"
#include "analysis/input/inputs.h"
#include "analysis/questions/common/answers.h"
#include "core/base/error.h"
#include "core/statistics/statistics.h"

namespace benanza::analysis {
namespace {

struct JointOptions {
  QuestionFlags flags;
  std::string tensor_cores = "fp16";
};

std::string answer_joint(const JointOptions& options) {
  const Precision precision = precision_of(options.tensor_cores, "--tensor-cores");
  const Question question = read_question(options.flags);
  Page page{.command = "joint", .systems = question.results.systems, .sections = {}};
  std::vector<JointColumn> columns;
  for (const Graph& graph : question.graphs) {
    for (const Choice& choice : question.choices) {
      if (choice.precision == precision) {
        throw Error("--tensor-cores " + options.tensor_cores +
                    ": is the precision without Tensor Cores, too; say another --precision");
      }
      JointAnswer answer =
          joint(graph, question.results.measurements, choice, precision, question.movement);
      if (!question.allow_missing) {
        require_complete(graph, answer.incomplete,
                         std::string(to_string(choice.precision)) + " and " + options.tensor_cores);
      }
      for (const Profile& profile : question.profiles) {
        if (is_of(profile, graph) && !profile.latency_seconds.empty()) {
          answer.measured_seconds = median(profile.latency_seconds);
        }
      }
      page.sections.push_back(joint_section(graph, choice, answer));
      columns.push_back({page.sections.back().heading, std::move(answer)});
    }
  }
  if (columns.size() > 1) page.sections.push_back(joint_summary(columns));
  return page_text(page, options.flags.format, question.rows);
}

void add_joint(CLI::App& program) {
  const auto options = std::make_shared<JointOptions>();
  CLI::App* command = program.add_subcommand(
      "joint", "Parallel layers, best algorithms, fusion and Tensor Cores together");
  options->flags.layers = "all";
  add_flags(*command, options->flags);
  command->add_option("--tensor-cores", options->tensor_cores, "Precision with Tensor Cores")
      ->capture_default_str();
  command->callback([options] { print(answer_joint(*options)); });
}

}  // namespace

Command joint_command() { return {.add = add_joint}; }

}  // namespace benanza::analysis
