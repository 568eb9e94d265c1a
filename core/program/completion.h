#pragma once

#include <string>

#include "core/program/command.h"

namespace benanza {

/// A script for bash to source: Tab then completes the program's subcommands, its flags and those
/// values that are one of a few words. Anything else is completed as a file's name.
std::string bash_completion(const Command& program);

/// The same as a function file for zsh, `_<program>`, which lets zsh run what bash is told.
std::string zsh_completion(const Command& program);

}  // namespace benanza
