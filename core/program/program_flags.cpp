#include "core/program/program_flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

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

/// Name of the bash function; hyphens become underscores.
std::string function_name(const Command& program) {
  std::string name = "_" + program.name;
  std::ranges::replace(name, '-', '_');
  return name;
}

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += separator;
    text += word;
  }
  return text;
}

/// A branch of `case "$place $previous"` with the possible values of an option. `place`: the
/// subcommands so far, each followed by a slash.
std::string value_branch(const std::string& place, const CommandOption& option) {
  std::string pattern;
  for (const std::string& name : option.names) {
    pattern += (pattern.empty() ? "\"" : " | \"") + place + ' ' + name + '"';
  }
  const std::string words = joined(option.choices, " ");
  return "    " + pattern + ") offered=\"" + words + "\" ;;\n";
}

struct Branches {
  /// For `case "$place$word"`: words that lead to a subcommand.
  std::string places;
  std::string values;
  /// For `case "$place"`: flags and subcommands.
  std::string words;
};

void add_branches(const std::string& place, const Command& command, Branches& branches) {
  std::vector<std::string> flags;
  std::vector<std::string> names;
  for (const CommandOption& option : command.options) {
    flags.insert(flags.end(), option.names.begin(), option.names.end());
    if (!option.value.empty()) branches.values += value_branch(place, option);
  }
  for (const Command& one : command.commands) {
    names.push_back(one.name);
    branches.places +=
        "      \"" + place + one.name + "\") place=\"" + place + one.name + "/\" ;;\n";
    add_branches(place + one.name + '/', one, branches);
  }
  branches.words += "        \"" + place + "\") flags=\"" + joined(flags, " ") + "\" names=\"" +
                    joined(names, " ") + "\" ;;\n";
}

/// Ends the program with `text` as its output, in the way CLI11 does for --version.
[[noreturn]] void answer(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  throw CLI::CallForVersion(text, 0);
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

std::string bash_completion(const Command& program) {
  Branches branches;
  add_branches("", program, branches);
  const std::string function = function_name(program);
  return "# Completion of " + program.name + " for bash, written by the program itself.\n" +
         function + R"(() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  # bash takes "--flag=value" for three words.
  if [[ $current == "=" ]]; then
    current=
  elif [[ $previous == "=" ]]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  local place= offered= flags= names= word
  for word in "${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
    case "$place$word" in
)" + branches.places +
         R"(      *) ;;
    esac
  done
  case "$place $previous" in
)" + branches.values +
         R"(    *)
      case "$place" in
)" + branches.words +
         R"(      esac
      offered=$names
      if [[ $current == -* ]]; then offered=$flags; fi
      ;;
  esac
  COMPREPLY=($(compgen -W "$offered" -- "$current"))
}
complete -o default -F )" +
         function + ' ' + program.name + '\n';
}

std::string zsh_completion(const Command& program) {
  return "#compdef " + program.name +
         "\n"
         "# Completion for zsh, by way of bash's.\n"
         "autoload -U +X bashcompinit && bashcompinit\n" +
         bash_completion(program) + "_bash_complete -o default -F " + function_name(program) + '\n';
}

void add_program_flags(CLI::App& app, AskLibraries libraries) {
  const std::string hidden;
  app.add_flag_callback(
      "--version",
      [&app, libraries = std::move(libraries)] {
        answer(
            version_text(app.get_name(), libraries ? libraries() : std::vector<LibraryVersion>{}));
      },
      "Print the versions of the program and of the loaded libraries, and exit");
  app.add_flag_callback("--man", [&app] { answer(man_page(describe(app), project_version())); })
      ->group(hidden);
  app.add_option_function<std::string>(
         "--completion",
         [&app](const std::string& shell) {
           const Command program = describe(app);
           answer(shell == "zsh" ? zsh_completion(program) : bash_completion(program));
         })
      ->check(CLI::IsMember({"bash", "zsh"}))
      ->group(hidden);
}

}  // namespace benanza
