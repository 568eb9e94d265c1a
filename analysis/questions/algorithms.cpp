// benanza-analyze algorithms: what is lost by taking other algorithms than the fastest.

#include <CLI/CLI.hpp>
#include <memory>

#include "analysis/questions/question.h"
#include "analysis/input/framework.h"
#include "analysis/input/print.h"
#include "analysis/input/inputs.h"
#include "analysis/questions/common/answers.h"
#include "core/base/error.h"

namespace benanza::analysis {
namespace {

void require_measured(const Graph& graph, const Choice& choice,
                      const std::vector<AlgorithmRow>& rows) {
  for (const AlgorithmRow& row : rows) {
    // What a limit on workspace rules out is an answer; what was not measured is not.
    if (row.best != nullptr || row.unlimited != nullptr) continue;
    throw Error(title(graph) + ", " + std::string(to_string(choice.precision)) + ": " + row.key +
                " of layer \"" + graph.layers[row.layer].name + "\" has no time (" + row.reason +
                "); run the benchmarks, or say --allow-missing for a partial answer");
  }
}

struct AlgorithmsOptions {
  QuestionFlags flags;
  std::vector<std::string> logs;
};

std::string answer_algorithms(const AlgorithmsOptions& options) {
  const Question question = read_question(options.flags);
  require_kernels(question);
  const std::vector<LibraryCall> calls = read_api_logs(options.logs, question);
  Page page{.command = "algorithms", .systems = question.results.systems, .sections = {}};
  for (const Graph& graph : question.graphs) {
    for (const Choice& choice : question.choices) {
      const auto rows = algorithm_rows(graph, question.results.measurements, choice);
      if (!question.allow_missing) require_measured(graph, choice, rows);
      page.sections.push_back(
          algorithms_section(graph, choice, rows, picks_of(question, graph, choice, rows, calls)));
    }
  }
  return page_text(page, options.flags.format, question.rows);
}

void add_algorithms(CLI::App& program) {
  const auto options = std::make_shared<AlgorithmsOptions>();
  CLI::App* command = program.add_subcommand(
      "algorithms",
      "Best algorithm of every product, and what the library's and a framework's choices lose");
  add_flags(*command, options->flags);
  command
      ->add_option("--api-log", options->logs,
                   "What cuDNN, cuBLAS or cuBLASLt logged of the framework's run")
      ->type_name("FILE");
  command->callback([options] { print(answer_algorithms(*options)); });
}

}  // namespace

Command algorithms_command() { return {.add = add_algorithms}; }

}  // namespace benanza::analysis
