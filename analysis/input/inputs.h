#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/input/flags.h"
#include "analysis/input/results.h"
#include "analysis/model/bounds.h"
#include "analysis/profiles/profile.h"
#include "core/api_log/api_log.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// The files a question is about: graphs, results, profiles; and how to answer.
struct Inputs {
  std::vector<Graph> graphs{};
  Results results{};
  /// Every one is of one of the graphs.
  std::vector<Profile> profiles{};
  /// Those whose kernels count beside the measured calls. The same.
  std::vector<Profile> seen{};
  /// One per precision.
  std::vector<MeasurementFilter> filters{};
  Movement movement = Movement::exclude;
  bool allow_missing = false;
  /// "table", "json" or "csv", and the rows of a table.
  std::string format = "table";
  std::size_t rows = std::numeric_limits<std::size_t>::max();
};

/// Throws Error, one line, for a flag that makes no sense, a file that cannot be read, and a
/// profile of none of the graphs. Flags are checked before files are read.
Inputs read_inputs(const CommonFlags& flags);

inline Movement movement_of(const CommonFlags& flags) {
  return flags.movement == "include" ? Movement::include : Movement::exclude;
}

/// The graph that `profile` is of. Throws Error if there is none; `otherwise` ends its message.
const Graph& graph_of(const Profile& profile, const std::vector<Graph>& graphs,
                      std::string_view otherwise = "");

/// The calls of all the logs. Throws Error, one line.
std::vector<LibraryCall> read_api_logs(const std::vector<std::string>& paths);

}  // namespace benanza::analysis
