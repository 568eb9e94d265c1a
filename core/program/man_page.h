#pragma once

#include <string>

#include "core/program/command.h"

namespace benanza {

/// The program's page for section 1 of the manual, in troff's man macros. Each subcommand is a
/// section of it.
std::string man_page(const Command& program, const std::string& version);

}  // namespace benanza
