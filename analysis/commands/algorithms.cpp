// benanza-analyze algorithms: what is lost by taking other algorithms than the fastest.

#include <CLI/CLI.hpp>
#include <memory>

#include "base/error.h"
#include "commands/command.h"
#include "question/print.h"
#include "question/question.h"
#include "report/answers.h"

namespace benanza {
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

std::string answer_algorithms(const QuestionFlags& flags) {
  const Question question = read_question(flags);
  Page page{.command = "algorithms", .systems = question.results.systems, .sections = {}};
  for (const Graph& graph : question.graphs) {
    for (const Choice& choice : question.choices) {
      const auto rows = algorithm_rows(graph, question.results.measurements, choice);
      if (!question.allow_missing) require_measured(graph, choice, rows);
      page.sections.push_back(algorithms_section(graph, choice, rows));
    }
  }
  return page_text(page, flags.format, question.rows);
}

void add_algorithms(CLI::App& program) {
  const auto flags = std::make_shared<QuestionFlags>();
  CLI::App* command = program.add_subcommand(
      "algorithms", "Best algorithm of every product, and what the library's own choice loses");
  add_flags(*command, *flags);
  command->callback([flags] { print(answer_algorithms(*flags)); });
}

}  // namespace

Command algorithms_command() { return {.add = add_algorithms}; }

}  // namespace benanza
