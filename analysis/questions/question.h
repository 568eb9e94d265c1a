#pragma once

#include <vector>

namespace CLI {
class App;
}

namespace benanza::analysis {

/// A subcommand of benanza-analyze: one question. Every .cpp file of this folder defines one, as
/// `Command <file name>_command()`; nothing else has to know of it.
struct Command {
  /// Adds the subcommand and its flags; its callback answers on standard output and throws Error.
  void (*add)(CLI::App& program);
};

/// Every one, in the order of their names. Generated from the files of this folder.
std::vector<Command> commands();

}  // namespace benanza::analysis
