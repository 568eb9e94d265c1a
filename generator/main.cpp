// benanza-generate: ONNX models to registrations, graphs and the list of tests.
#include <CLI/CLI.hpp>
#include <iostream>

#include "core/base/error.h"
#include "generator/emit/command.h"
#include "generator/emit/summary.h"

namespace {

using namespace benanza;
using namespace benanza::emit;

int run(int argc, char** argv) {
  CLI::App app("Turns ONNX models into the problems that the benchmark suites measure.");
  std::vector<std::string> models;
  std::vector<std::int64_t> batches;
  std::vector<std::string> dims;
  std::vector<std::string> inputs;
  std::vector<std::string> precisions{"fp32"};
  std::string out;
  bool wants_summary = false;
  bool wants_sharing = false;
  app.add_option("MODEL", models, "ONNX files")->required();
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
  app.add_option("--precision", precisions, "fp32, tf32, fp16, bf16, int8, fp8; fp32 if not given")
      ->delimiter(',')
      ->type_name("P[,P...]")
      ->allow_extra_args(false);
  app.add_option("--out", out, "Folder for problems.cpp, tests.cmake and the graph.json files");
  app.add_flag("--summary", wants_summary, "Print a table of each model's layers; needs no --out");
  app.add_flag("--unique", wants_sharing,
               "Print how many problems all the models share; needs no --out");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    throw Error(std::string(error.what()) + ": see --help");
  }
  if (out.empty() && !wants_summary && !wants_sharing) {
    throw Error("--out DIR is missing: where shall the files go?");
  }

  GenerateOptions options{{models.begin(), models.end()}, batches, {}};
  for (const std::string& dim : dims) options.dims.insert(parse_dim(dim));
  for (const std::string& input : inputs) options.values.insert(parse_input(input));
  const std::vector<Precision> chosen = parse_precisions(precisions);
  const std::vector<GraphFile> files = import_models(options);
  for (const GraphFile& file : files) {
    for (const std::string& warning : file.graph.warnings) {
      std::cerr << "benanza-generate: warning: " << warning << '\n';
    }
  }
  if (!out.empty()) write_files(out, files, chosen);
  if (wants_summary) {
    for (const GraphFile& file : files) std::cout << summary(file.graph);
  }
  if (wants_sharing) {
    std::vector<LoweredGraph> graphs;
    for (const GraphFile& file : files) graphs.push_back(file.graph);
    std::cout << sharing(graphs);
  }
  return 0;
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
