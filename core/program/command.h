#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace benanza {

/// An option or an argument of a command line.
struct CommandOption {
  /// "-o", "--output"; of an argument its one name, "MODEL".
  std::vector<std::string> names{};
  /// Stands for its value, "FILE"; empty: it takes none.
  std::string value{};
  /// What the value must be one of; empty: anything.
  std::vector<std::string> choices{};
  /// Empty: none.
  std::string default_value{};
  bool required = false;
  bool repeated = false;
  std::string help{};
};

/// What a program, or a subcommand of one, can be asked for.
struct Command {
  std::string name{};
  std::string help{};
  std::vector<CommandOption> options{};
  std::vector<CommandOption> arguments{};
  std::vector<Command> commands{};
};

/// As its command line is defined. What has no help is left out: nobody is meant to type it. An
/// option that is hidden from --help but has a help text is in.
Command describe(const CLI::App& app);

}  // namespace benanza
