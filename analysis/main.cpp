// benanza-analyze: questions to graphs, results and profiles.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>

#include "analysis/questions/question.h"
#include "core/base/error.h"

int main(int argc, char** argv) {
  CLI::App program("Answers questions about models from their graphs, results and profiles.",
                   "benanza-analyze");
  for (const benanza::analysis::Command& command : benanza::analysis::commands()) command.add(program);
  try {
    program.parse(argc, argv);
    if (program.get_subcommands().empty()) throw benanza::Error("no question; see --help");
    return 0;
  } catch (const CLI::Success& success) {  // --help
    return program.exit(success);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "benanza-analyze: %s; --help lists the options\n", error.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "benanza-analyze: %s\n", error.what());
  }
  return 1;
}
