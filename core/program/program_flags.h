#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/program/command.h"
#include "core/program/version.h"

namespace CLI {
class App;
}

namespace benanza {

/// The program's page for section 1 of the manual, in troff's man macros. Each subcommand is a
/// section of it.
std::string man_page(const Command& program, const std::string& version);

/// A script for bash to source, which completes the program's subcommands, its flags and values
/// with a fixed list of choices. Everything else is completed as a file name.
std::string bash_completion(const Command& program);

/// The same as a function file for zsh, `_<program>`, which runs the bash completion in zsh.
std::string zsh_completion(const Command& program);

/// Returns the versions of the loaded libraries; called only when they are needed.
using AskLibraries = std::function<std::vector<LibraryVersion>()>;

/// Adds the flags common to all programs of Benanza: --version, and, for packagers and hidden from
/// --help, --man and --completion bash|zsh. Each makes parsing end with a CLI::Success whose what()
/// is the text to print; `app.exit()` prints it. `app` must have a name.
void add_program_flags(CLI::App& app, AskLibraries libraries = {});

}  // namespace benanza
