#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace benanza {

/// An option or an argument of a command line.
struct CommandOption {
  /// "-o", "--output"; for an argument its only name, "MODEL".
  std::vector<std::string> names{};
  /// Placeholder for its value, "FILE"; empty if it takes none.
  std::string value{};
  /// The allowed values; empty if any value is allowed.
  std::vector<std::string> choices{};
  /// Empty if there is none.
  std::string default_value{};
  bool required = false;
  bool repeated = false;
  std::string help{};
};

/// The command line of a program or a subcommand.
struct Command {
  std::string name{};
  std::string help{};
  std::vector<CommandOption> options{};
  std::vector<CommandOption> arguments{};
  std::vector<Command> commands{};
};

/// Describes the command line of `app`. Options without a help text are left out, because users are
/// not meant to type them; options hidden from --help that have a help text are included.
Command describe(const CLI::App& app);

}  // namespace benanza
