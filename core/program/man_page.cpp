#include "core/program/man_page.h"

#include <algorithm>
#include <cctype>

namespace benanza {
namespace {

/// Escapes everything that troff would interpret.
std::string plain(const std::string& text) {
  std::string escaped;
  for (const char character : text) {
    switch (character) {
      case '\\':
        escaped += "\\e";
        break;
      case '-':
        escaped += "\\-";
        break;
      case '\'':
        escaped += "\\(aq";
        break;
      case '`':
        escaped += "\\(ga";
        break;
      case '^':
        escaped += "\\(ha";
        break;
      case '~':
        escaped += "\\(ti";
        break;
      case '"':
        escaped += "\\(dq";
        break;
      case '\n':
        escaped += ' ';
        break;
      default:
        escaped += character;
    }
  }
  return escaped.starts_with('.') ? "\\&" + escaped : escaped;
}

std::string bold(const std::string& text) { return "\\fB" + plain(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + plain(text) + "\\fR"; }
std::string section(const std::string& name) { return ".SH \"" + plain(name) + "\"\n"; }

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

/// "-o FILE, --output=FILE".
std::string heading(const CommandOption& option) {
  std::string text;
  for (const std::string& name : option.names) {
    if (!text.empty()) text += ", ";
    text += bold(name);
    if (!option.value.empty()) text += (name.starts_with("--") ? "=" : " ") + italic(option.value);
  }
  return text;
}

std::string entry(const std::string& heading, const CommandOption& option) {
  std::string text = ".TP\n" + heading + '\n' + plain(option.help);
  if (option.required) text += " (required)";
  if (!option.default_value.empty()) text += " (default: " + plain(option.default_value) + ")";
  return text + '\n';
}

std::string entries(const Command& command) {
  std::string text;
  for (const CommandOption& argument : command.arguments) {
    text += entry(italic(argument.names.front()), argument);
  }
  for (const CommandOption& option : command.options) text += entry(heading(option), option);
  return text;
}

std::string synopsis(const std::string& path, const Command& command) {
  std::string text = bold(path);
  for (const CommandOption& option : command.options) {
    if (option.required) text += ' ' + heading(option);
  }
  text += " [" + italic("OPTION") + "]...";
  if (!command.commands.empty()) text += ' ' + italic("COMMAND") + " ...";
  for (const CommandOption& argument : command.arguments) {
    const std::string name = italic(argument.names.front());
    text += ' ' + (argument.required ? name : '[' + name + ']') + (argument.repeated ? "..." : "");
  }
  return text + '\n';
}

/// Includes nested subcommands.
std::string command_sections(const std::string& path, const Command& command) {
  std::string text;
  for (const Command& one : command.commands) {
    const std::string its_path = path + ' ' + one.name;
    text += section(its_path) + plain(one.help) + ".\n.PP\n" + synopsis(its_path, one);
    text += entries(one) + command_sections(its_path, one);
  }
  return text;
}

/// The first sentence, for whatis(1).
std::string summary(const std::string& help) {
  std::string first = help.substr(0, help.find(". "));
  if (first.ends_with('.')) first.pop_back();
  if (!first.empty()) first.front() = static_cast<char>(std::tolower(first.front()));
  return first;
}

}  // namespace

std::string man_page(const Command& program, const std::string& version) {
  std::string page = ".TH " + upper(plain(program.name)) + " 1 \"\" \"Benanza " + plain(version) +
                     "\" \"Benanza\"\n";
  // Neither hyphenate nor justify: words must appear as they are typed.
  page += ".nh\n.ad l\n";
  page += section("NAME") + plain(program.name) + " \\- " + plain(summary(program.help)) + '\n';
  page += section("SYNOPSIS") + synopsis(program.name, program);
  page += section("DESCRIPTION") + plain(program.help) + '\n';
  if (!program.commands.empty()) {
    page += section("COMMANDS");
    for (const Command& one : program.commands) {
      page += ".TP\n" + bold(one.name) + '\n' + plain(one.help) + '\n';
    }
  }
  page += section("OPTIONS") + entries(program);
  return page + command_sections(program.name, program);
}

}  // namespace benanza
