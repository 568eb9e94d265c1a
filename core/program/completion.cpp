#include "core/program/completion.h"

#include <algorithm>

namespace benanza {
namespace {

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

}  // namespace

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

}  // namespace benanza
