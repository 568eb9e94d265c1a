// benanza-analyze tensor-cores: what Tensor Cores gain, layer by layer.

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

struct TensorCoresOptions {
  QuestionFlags flags;
  std::string without = "fp32";
};

std::string answer_tensor_cores(const TensorCoresOptions& options) {
  const Precision without = precision_of(options.without, "--without");
  const Question question = read_question(options.flags);
  require_kernels(question);
  Page page{.command = "tensor-cores", .systems = question.results.systems, .sections = {}};
  for (const Graph& graph : question.graphs) {
    for (const Choice& choice : question.choices) {
      if (choice.precision == without) {
        throw Error("--precision " + options.without +
                    ": is the one without Tensor Cores; say "
                    "tf32, fp16, bf16 or int8, or another --without");
      }
      const TensorCoreProfit profit = tensor_core_profit(graph, question.results.measurements,
                                                         choice, without, question.movement);
      if (!question.allow_missing) {
        require_complete(graph, profit.without_times, to_string(without));
        require_complete(graph, profit.with_times, to_string(choice.precision));
      }
      const auto rows = algorithm_rows(graph, question.results.measurements, profit.with);
      page.sections.push_back(
          tensor_cores_section(graph, profit, rows, picks_of(question, graph, choice, rows)));
    }
  }
  return page_text(page, options.flags.format, question.rows);
}

void add_tensor_cores(CLI::App& program) {
  const auto options = std::make_shared<TensorCoresOptions>();
  CLI::App* command = program.add_subcommand("tensor-cores", "What Tensor Cores gain");
  add_flags(*command, options->flags, "fp16");
  command->add_option("--without", options->without, "Precision without Tensor Cores")
      ->capture_default_str();
  command->callback([options] { print(answer_tensor_cores(*options)); });
}

}  // namespace

Command tensor_cores_command() { return {.add = add_tensor_cores}; }

}  // namespace benanza::analysis
