// benanza-analyze report: every answer as one HTML page, and the bound's schedule as a trace.

#include <CLI/CLI.hpp>
#include <memory>

#include "analysis/questions/question.h"
#include "analysis/input/print.h"
#include "analysis/input/inputs.h"
#include "analysis/questions/report/model_chapter.h"
#include "analysis/questions/report/trace.h"
#include "core/base/error.h"
#include "core/base/file.h"

namespace benanza::analysis {
namespace {

struct ReportOptions {
  QuestionFlags flags;
  std::string tensor_cores = "fp16";
  std::string out;
  std::string trace;
};

/// The trace of the only model. Throws Error if there are several.
std::string trace_of(const Question& question, const std::vector<ModelAnswers>& models) {
  if (models.size() != 1) {
    throw Error("--trace is of one model at one precision: give one --graph and one --precision");
  }
  const Profile* profile = question.profiles.empty() ? nullptr : &question.profiles.front();
  return trace_json(*models[0].graph, models[0].times, question.movement, profile);
}

void answer_report(const ReportOptions& options) {
  if (options.out.empty() && options.trace.empty()) {
    throw Error("say where to write: --out FILE.html, --trace FILE.json");
  }
  const Precision with = precision_of(options.tensor_cores, "--tensor-cores");
  const Question question = read_question(options.flags);
  std::vector<ModelAnswers> models;
  for (const Graph& graph : question.graphs) {
    for (const Choice& choice : question.choices) {
      models.push_back(answer_all(question, graph, choice, with));
      if (!question.allow_missing) {
        require_complete(graph, models.back().times, to_string(choice.precision));
      }
    }
  }
  // Both texts before any file: an error leaves nothing behind.
  const std::string trace = options.trace.empty() ? "" : trace_of(question, models);
  if (!options.out.empty()) {
    std::vector<Chapter> chapters{overview_chapter(models)};
    for (const ModelAnswers& model : models) {
      for (Chapter& chapter : model_chapters(model, question.results.peaks)) {
        chapters.push_back(std::move(chapter));
      }
    }
    write_file(options.out, html_page("Benanza report", question.results.systems, chapters));
    print(options.out + '\n');
  }
  if (!options.trace.empty()) {
    write_file(options.trace, trace);
    print(options.trace + '\n');
  }
}

void add_report(CLI::App& program) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App* command = program.add_subcommand(
      "report", "Every answer, with plots, as one HTML page; the bound's schedule as a trace");
  add_flags(*command, options->flags);
  command->add_option("--tensor-cores", options->tensor_cores, "Precision with Tensor Cores")
      ->capture_default_str();
  command->add_option("--out", options->out, "The page; it needs no network")->type_name("HTML");
  command->add_option("--trace", options->trace, "Chrome trace, for Perfetto")->type_name("JSON");
  command->callback([options] { answer_report(*options); });
}

}  // namespace

Command report_command() { return {.add = add_report}; }

}  // namespace benanza::analysis
