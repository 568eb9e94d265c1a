#include "core/program/program_flags.h"

#include <CLI/CLI.hpp>
#include <string>
#include <utility>

#include "core/program/completion.h"
#include "core/program/man_page.h"

namespace benanza {
namespace {

/// Ends the program with `text` as its output, in the way CLI11 does for --version.
[[noreturn]] void answer(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  throw CLI::CallForVersion(text, 0);
}

}  // namespace

void add_program_flags(CLI::App& app, AskLibraries libraries) {
  const std::string hidden;
  app.add_flag_callback(
      "--version",
      [&app, libraries = std::move(libraries)] {
        answer(
            version_text(app.get_name(), libraries ? libraries() : std::vector<LibraryVersion>{}));
      },
      "Print the versions of the program and of the loaded libraries, and exit");
  app.add_flag_callback("--man", [&app] { answer(man_page(describe(app), project_version())); })
      ->group(hidden);
  app.add_option_function<std::string>(
         "--completion",
         [&app](const std::string& shell) {
           const Command program = describe(app);
           answer(shell == "zsh" ? zsh_completion(program) : bash_completion(program));
         })
      ->check(CLI::IsMember({"bash", "zsh"}))
      ->group(hidden);
}

}  // namespace benanza
