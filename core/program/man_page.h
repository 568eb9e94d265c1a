#pragma once

#include <string>

#include "core/program/command.h"

namespace benanza {

/// The page of a program for section 1 of the manual, in the man macros of troff. Subcommands are
/// sections of it.
std::string man_page(const Command& program, const std::string& version);

}  // namespace benanza
