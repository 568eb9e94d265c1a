#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/problem/precision.h"
#include "generator/emit/summary.h"
#include "generator/import_models.h"

namespace benanza {

/// What one run of benanza-generate is to do.
struct CommandLine {
  GenerateOptions options{};
  /// Instead of models.
  std::vector<std::string> recordings{};
  /// Empty for recordings if the user named none: each call's own.
  std::vector<Precision> precisions{};
  /// Empty: nothing is written.
  std::filesystem::path out{};
  emit::OldGraphs old_graphs = emit::OldGraphs::keep;
  /// File for the models that cannot be read; empty: such models are errors.
  std::string refused_list{};
  std::optional<emit::SummaryRows> summary{};
  bool shows_sharing = false;
  /// --help and the like were answered: end with this status.
  std::optional<int> exit_status{};
};

/// Throws Error if the flags are wrong or contradict each other.
CommandLine parse_command_line(int argc, char** argv);

/// Parses "NAME=N" of --dim. Throws Error.
std::pair<std::string, std::int64_t> parse_dim(const std::string& text);

/// Parses "NAME=VALUE[,VALUE...]" of --input. Throws Error.
std::pair<std::string, std::string> parse_input(const std::string& text);

/// Parses "fp32,bf16" of --precision, dropping duplicates. Throws Error listing the valid names.
std::vector<Precision> parse_precisions(const std::vector<std::string>& names);

}  // namespace benanza
