#pragma once

#include <string>

#include "core/program/command.h"

namespace benanza {

/// A script for bash to source, which completes the program's subcommands, its flags and values
/// with a fixed list of choices. Everything else is completed as a file name.
std::string bash_completion(const Command& program);

/// The same as a function file for zsh, `_<program>`, which runs the bash completion in zsh.
std::string zsh_completion(const Command& program);

}  // namespace benanza
