// benanza-zoo - writes the models of the zoo as ONNX files.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <exception>
#include <string>

#include "core/base/error.h"
#include "core/program/program_flags.h"
#include "models/llm_command.h"
#include "models/save.h"
#include "models/zoo/zoo.h"

namespace {

using namespace benanza;

void print_list() {
  fmt::print("{:<20} {:<20} {:>7} {:>12}\n", "id", "paper's name", "layers", "parameters");
  for (const zoo::Model& model : zoo::models()) {
    const zoo::Size size = zoo::size(model);
    fmt::print("{:<20} {:<20} {:>7} {:>12}\n", model.id, model.paper_name, size.layers,
               size.parameters);
  }
}

void write_model(const std::string& id, const std::string& path, const zoo::BuildOptions& options) {
  save(zoo::build(zoo::find(id), options), path);
}

int run(int argc, char** argv) {
  CLI::App app("Writes a model of the zoo as an ONNX file.", "benanza-zoo");
  bool list = false;
  std::string name;
  std::string path;
  std::string weights = "none";
  zoo::BuildOptions options;
  std::uint64_t seed = 0;
  app.add_flag("--list", list, "Show every model: id, name in the paper, layers, parameters");
  app.add_option("NAME", name, "Id of the model");
  app.add_option("-o,--output", path, "File to write (NAME.onnx)");
  app.add_option("--batch", options.batch, "Batch size (1)");
  app.add_option("--weights", weights,
                 "none: weights are constants made at run time, the file is small (the default); "
                 "random: weights are stored")
      ->check(CLI::IsMember({"none", "random"}));
  CLI::Option* seed_option = app.add_option("--seed", seed, "Seed of random weights (0)");
  const LlmCommand llm(app);
  add_program_flags(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    throw Error(std::string(error.what()) + "; see benanza-zoo --help");
  }
  if (llm.chosen()) {
    llm.run();
    return 0;
  }
  if (list) {
    print_list();
    return 0;
  }
  if (name.empty()) {
    throw Error("no model given; benanza-zoo --list shows them all");
  }
  if (weights == "random") {
    options.seed = seed;
  } else if (!seed_option->empty()) {
    throw Error("--seed needs --weights random");
  }
  write_model(name, path.empty() ? name + ".onnx" : path, options);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "benanza-zoo: {}\n", error.what());
    return 1;
  }
}
