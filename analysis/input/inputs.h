#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "analysis/model/bounds.h"
#include "analysis/profile_match/comparison.h"
#include "analysis/results/read.h"
#include "core/graph_file/graph.h"

namespace CLI {
class App;
}

namespace benanza::analysis {

/// The flags that questions about models have in common, as they were typed.
struct QuestionFlags {
  std::vector<std::string> graphs;
  std::vector<std::string> results;
  std::vector<std::string> profiles;
  std::vector<std::string> precisions;
  std::string layout;
  std::string backend;
  bool cold = false;
  std::string fallback;
  std::string max_workspace;
  std::string movement = "exclude";
  bool allow_missing = false;
  std::string format = "table";
  std::string layers = "15";
};

/// Adds them to a subcommand. `precisions` is the default of --precision, shown in the help.
void add_flags(CLI::App& command, QuestionFlags& flags, const std::string& precisions = "fp32");

/// Those of them that say which measurements count, and how the answer looks. `precisions` as
/// above; empty: the command's own default.
void add_choice_flags(CLI::App& command, QuestionFlags& flags, const std::string& precisions);

/// One precision's choice, and the rows of tables. Throw Error for flags that make no sense.
Choice choice_of(const QuestionFlags& flags, const std::string& precision);
std::size_t rows_of(const QuestionFlags& flags);

/// What was asked, read from the files: graphs, results, profiles.
struct Question {
  std::vector<Graph> graphs;
  Results results;
  /// Every one is of one of the graphs.
  std::vector<Profile> profiles;
  /// One per precision.
  std::vector<Choice> choices;
  Movement movement = Movement::exclude;
  bool allow_missing = false;
  /// Rows of a table for people.
  std::size_t rows = std::numeric_limits<std::size_t>::max();
};

/// Throws Error, one line, for a flag that makes no sense, a file that cannot be read, and a
/// profile of none of the graphs. Flags are checked before files are read.
Question read_question(const QuestionFlags& flags);

/// Throws Error where `text` is no precision.
Precision precision_of(const std::string& text, std::string_view flag);

/// Throws Error, naming the first few measurements that layers lack, if there are any; `kind` says
/// of what bound ("fp32").
void require_complete(const Graph& graph, const std::vector<LayerTime>& times,
                      std::string_view kind);

/// Bytes: "4096", "64K", "512M", "2G" (powers of 1024). Throws Error.
std::int64_t bytes_of(const std::string& text, std::string_view flag);

}  // namespace benanza::analysis
