#include "core/program/command.h"

#include <CLI/CLI.hpp>

#include "core/base/text.h"

namespace benanza {
namespace {

/// {"a", "b"} for "...{a,b}...".
std::vector<std::string> choices_in(const std::string& type) {
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}', open);
  if (open == std::string::npos || close == std::string::npos) return {};
  return text::split<std::string>(type.substr(open + 1, close - open - 1), ',');
}

/// CLI11 appends the check of a value to its type: "TEXT:{a,b}", "FLOAT:FLOAT in [0 - 1]".
std::string value_name(const std::string& type, const std::vector<std::string>& choices) {
  if (!choices.empty()) return text::join(choices, "|");
  const std::size_t colon = type.find(':');
  return type.find(" in [") == std::string::npos ? type : type.substr(colon + 1);
}

CommandOption describe_option(const CLI::Option& option) {
  CommandOption described{.default_value = option.get_default_str(),
                          .required = option.get_required(),
                          .repeated = option.get_expected_max() > 1,
                          .help = option.get_description()};
  for (const std::string& name : option.get_snames()) described.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) described.names.push_back("--" + name);
  if (described.names.empty()) described.names.push_back(option.get_name());
  if (option.get_items_expected_max() > 0) {
    const std::string type = option.get_type_name();
    described.choices = choices_in(type);
    described.value = value_name(type, described.choices);
  }
  return described;
}

}  // namespace

Command describe(const CLI::App& app) {
  Command command{.name = app.get_name(), .help = app.get_description()};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_description().empty()) continue;
    (option->nonpositional() ? command.options : command.arguments)
        .push_back(describe_option(*option));
  }
  for (const CLI::App* subcommand : app.get_subcommands([](const CLI::App*) { return true; })) {
    command.commands.push_back(describe(*subcommand));
  }
  return command;
}

}  // namespace benanza
