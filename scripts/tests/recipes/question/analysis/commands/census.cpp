// benanza-analyze census: how many layers of each operator a model has.
#include <CLI/CLI.hpp>
#include <iostream>
#include <map>
#include <memory>

#include "analysis/commands/command.h"
#include "core/graph_file/graph.h"

namespace benanza {
namespace {

void add_census(CLI::App& program) {
  const auto path = std::make_shared<std::string>();
  CLI::App* command = program.add_subcommand("census", "How many layers of each operator there are");
  command->add_option("--graph", *path, "a .graph.json file")->required();
  command->callback([path] {
    std::map<std::string, int> layers;
    for (const Layer& layer : read_graph(*path).layers) ++layers[layer.op];
    for (const auto& [op, count] : layers) std::cout << op << ' ' << count << '\n';
  });
}

}  // namespace

Command census_command() { return {.add = add_census}; }

}  // namespace benanza
