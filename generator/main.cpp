// benanza-generate: turns ONNX models and recordings of programs into registrations, graphs and the
// list of tests.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/program/program_flags.h"
#include "generator/emit/command.h"
#include "generator/emit/summary.h"
#include "record/problems/recorded_graphs.h"

namespace {

using namespace benanza;
using namespace benanza::emit;

/// Reports how many models were refused. Returns the exit status of the program.
int finish(const ImportedModels& imported, std::size_t models, const std::string& refused_list) {
  if (!refused_list.empty()) {
    std::string text;
    for (const RefusedModel& model : imported.refused)
      text += model.path.string() + '\t' + model.error + '\n';
    write_file_if_changed(refused_list, text);
  }
  if (imported.refused.empty()) return 0;
  std::cerr << "benanza-generate: left out " << imported.refused.size() << " of " << models
            << " models; everything else is done\n";
  return refused_list.empty() ? 1 : 0;
}

/// If `precisions` is empty, those of the recorded calls are used.
int generate_from(const std::vector<std::string>& recordings, std::vector<Precision> precisions,
                  const std::string& out, bool clean) {
  const std::vector<Precision> asked = precisions;
  std::vector<NamedGraph> graphs;
  for (const std::string& recording : recordings) {
    record::RecordedGraphs read = record::graphs_of_recording(recording, asked);
    for (Graph& graph : read.graphs) {
      const std::string file = graph.model + ".graph.json";
      graphs.push_back({file, std::move(graph)});
    }
    for (const Precision found : read.precisions) {
      const bool known = std::find(precisions.begin(), precisions.end(), found) != precisions.end();
      if (asked.empty() && !known) precisions.push_back(found);
    }
    for (const std::string& line : read.summary) std::cout << line << '\n';
  }
  if (precisions.empty()) precisions = {Precision::fp32};
  write_graphs(out, graphs, precisions, clean ? OldGraphs::remove : OldGraphs::keep);
  return 0;
}

int run(int argc, char** argv) {
  CLI::App app(
      "Turns ONNX models, or the calls of recorded programs, into the problems that the benchmark "
      "suites measure.",
      "benanza-generate");
  std::vector<std::string> models;
  std::vector<std::string> lists;
  std::vector<std::string> recordings;
  std::vector<std::int64_t> batches;
  std::vector<std::string> dims;
  std::vector<std::string> inputs;
  std::vector<std::string> precisions{"fp32"};
  std::string out;
  std::string refused_list;
  std::string wanted_summary;
  std::string optimizer;
  bool wants_sharing = false;
  bool clean = false;
  app.add_option("MODEL", models, "ONNX files");
  app.add_option("--list", lists,
                 "A list of problems instead of a model, or beside them: a folder of tables, and "
                 "the set of their rows; may be repeated")
      ->type_name("FOLDER/SET")
      ->allow_extra_args(false);
  app.add_option("--recording", recordings,
                 "Instead of models: files of benanza-record, whose calls become the problems")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--batch", batches, "Batch sizes: dimension 0 of every input")
      ->delimiter(',')
      ->type_name("N[,N...]")
      ->allow_extra_args(false);
  app.add_option(
         "--dim", dims,
         "Value of a dimension that the model leaves open: its name, or tensor and axis; may "
         "be repeated")
      ->type_name("NAME=N|TENSOR:AXIS=N")
      ->allow_extra_args(false);
  app.add_option("--input", inputs,
                 "Values of an input that decides what the model does, e.g. which branch an If "
                 "takes; may be repeated")
      ->type_name("NAME=VALUE[,VALUE...]")
      ->allow_extra_args(false);
  CLI::Option* const precision =
      app.add_option("--precision", precisions,
                     "fp32, tf32, fp16, bf16, int8, fp8; if not given fp32, and of a recording "
                     "the own one of each call")
          ->delimiter(',')
          ->type_name("P[,P...]")
          ->allow_extra_args(false);
  app.add_flag("--training{sgd}", optimizer,
               "Training steps of the models instead of inference: forward, backward and the "
               "update of sgd (with momentum) or, with --training=adam, of adam")
      ->check(CLI::IsMember({"sgd", "adam"}));
  app.add_option("--out", out, "Folder for problems.cpp, tests.cmake and the graph.json files");
  app.add_flag("--clean", clean,
               "Remove the graph files that the last call with this --out wrote and this one does "
               "not");
  app.add_option(
         "--skip-refused", refused_list,
         "Write the models that cannot be read into this file, path and reason separated by a "
         "tab, and succeed if any other is left")
      ->type_name("FILE");
  app.add_flag("--summary{brief}", wanted_summary,
               "Print a table of each model's layers; =all lists operators that need no work, too; "
               "needs no --out");
  app.add_flag("--unique", wants_sharing,
               "Print how many problems all the models share; needs no --out");
  add_program_flags(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    throw Error(std::string(error.what()) + ": see --help");
  }
  if (!recordings.empty()) {
    if (!models.empty() || !lists.empty()) {
      throw Error("--recording: goes without models; call it once for each");
    }
    for (const char* option :
         {"--batch", "--dim", "--input", "--training", "--summary", "--unique", "--skip-refused"}) {
      if (app.count(option) > 0) throw Error(std::string(option) + ": goes with models only");
    }
    if (out.empty()) throw Error("--out DIR is missing");
    return generate_from(
        recordings,
        precision->count() > 0 ? parse_precisions(precisions) : std::vector<Precision>(), out,
        clean);
  }
  if (!wanted_summary.empty() && wanted_summary != "brief" && wanted_summary != "all") {
    throw Error("--summary=" + wanted_summary + ": wants --summary or --summary=all");
  }
  if (out.empty() && wanted_summary.empty() && !wants_sharing) {
    throw Error("--out DIR is missing");
  }

  if (models.empty() && lists.empty()) throw Error("MODEL is missing, or --list: see --help");

  GenerateOptions options{{models.begin(), models.end()}, batches, {}};
  options.lists = {lists.begin(), lists.end()};
  for (const std::string& dim : dims) options.dims.insert(parse_dim(dim));
  for (const std::string& input : inputs) options.values.insert(parse_input(input));
  if (!optimizer.empty()) {
    options.training =
        optimizer == "adam" ? training::Optimizer::adam : training::Optimizer::sgd_momentum;
  }
  const std::vector<Precision> chosen = parse_precisions(precisions);
  const ImportedModels imported = import_models(options);
  for (const GraphFile& file : imported.files) {
    for (const std::string& warning : file.graph.warnings) {
      std::cerr << "benanza-generate: warning: " << warning << '\n';
    }
  }
  for (const RefusedModel& model : imported.refused) {
    std::cerr << "benanza-generate: " << model.error << '\n';
  }
  if (imported.files.empty()) return 1;

  if (!out.empty()) {
    write_files(out, imported.files, chosen, clean ? OldGraphs::remove : OldGraphs::keep);
  }
  const SummaryRows rows = wanted_summary == "all" ? SummaryRows::all : SummaryRows::brief;
  if (!wanted_summary.empty()) {
    for (const GraphFile& file : imported.files) std::cout << summary(file.graph, rows);
  }
  if (wants_sharing) {
    std::vector<LoweredGraph> graphs;
    for (const GraphFile& file : imported.files) graphs.push_back(file.graph);
    std::cout << sharing(graphs);
  }
  return finish(imported, options.models.size(), refused_list);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::string message = error.what();
    std::replace(message.begin(), message.end(), '\n', ' ');
    std::cerr << "benanza-generate: " << message << '\n';
    return 1;
  }
}
