// Compiled with the program, where the command-line library is parsed anyway.

#include <CLI/CLI.hpp>

#include "analysis/input/inputs.h"

namespace benanza::analysis {

void add_flags(CLI::App& command, QuestionFlags& flags, const std::string& precisions) {
  command.add_option("--graph", flags.graphs, "<model>.graph.json of benanza-generate")
      ->type_name("FILE");
  command
      .add_option("--results", flags.results,
                  "What the suites wrote; folders are searched; a database of `db import`")
      ->type_name("FILE|DIR|DB");
  command.add_option("--profile", flags.profiles, "A framework's run of one of the models")
      ->type_name("FILE");
  add_choice_flags(command, flags, precisions);
}

void add_choice_flags(CLI::App& command, QuestionFlags& flags, const std::string& precisions) {
  if (!precisions.empty()) flags.precisions = CLI::detail::split(precisions, ',');
  command
      .add_option("--precision", flags.precisions,
                  "One report each (default " + (precisions.empty() ? "all" : precisions) + ")")
      ->delimiter(',')
      ->type_name("P[,P...]");
  command.add_option("--layout", flags.layout, "Only this layout: nchw, nhwc, any");
  command.add_option("--backend", flags.backend, "Only this library");
  command.add_flag("--cold", flags.cold, "Times with cold caches");
  command.add_option("--fallback", flags.fallback,
                     "Precision of layers not supported at the asked one");
  command
      .add_option("--max-workspace", flags.max_workspace,
                  "Only calls that need no more scratch memory: bytes, or 64K, 512M, 2G")
      ->type_name("BYTES");
  command.add_option("--movement", flags.movement, "Layers that only move bytes")
      ->check(CLI::IsMember({"exclude", "include"}))
      ->capture_default_str();
  command.add_flag("--allow-missing", flags.allow_missing,
                   "A partial answer where measurements are missing");
  command.add_option("--format", flags.format, "Output")
      ->check(CLI::IsMember({"table", "json", "csv"}))
      ->capture_default_str();
  command.add_option("--layers", flags.layers, "Rows of the tables, or all")
      ->type_name("N|all")
      ->capture_default_str();
}

}  // namespace benanza::analysis
