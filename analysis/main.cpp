// benanza-analyze: answers questions about graphs, results and profiles.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>

#include "analysis/questions/common/question.h"
#include "core/base/error.h"
#include "core/program/program_flags.h"

namespace {

using benanza::analysis::Action;
using benanza::analysis::Flags;
using benanza::analysis::Question;

void add_question(CLI::App& program, const Question& question) {
  CLI::App& command =
      *program.add_subcommand(std::string(question.name), std::string(question.help));
  Flags flags(command);
  const Action action = question.ask != nullptr
                            ? question.ask(flags)
                            : ask_about_models(flags, question.name, question.section);
  if (action) command.callback(action);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App program("Answers questions about models from their graphs, results and profiles.",
                   "benanza-analyze");
  try {
    for (const Question& question : benanza::analysis::questions()) {
      add_question(program, question);
    }
    benanza::add_program_flags(program);
    program.parse(argc, argv);
    if (program.get_subcommands().empty()) throw benanza::Error("no question; see --help");
    return 0;
  } catch (const CLI::Success& success) {  // --help, --version
    return program.exit(success);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "benanza-analyze: %s; --help lists the options\n", error.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "benanza-analyze: %s\n", error.what());
  }
  return 1;
}
