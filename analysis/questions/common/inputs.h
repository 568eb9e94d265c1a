#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/input/results.h"
#include "analysis/input/run_files.h"
#include "analysis/model/bounds.h"
#include "analysis/profiles/profile.h"
#include "analysis/questions/common/flags.h"
#include "core/graph_file/graph.h"
#include "core/library/library_call.h"

namespace benanza::analysis {

/// The contents of the files that a question is about, and how to answer it.
struct Inputs {
  std::vector<Graph> graphs{};
  Results results{};
  /// The same measurements with weights from memory; empty if none was taken so.
  std::optional<MeasurementSet> from_memory{};
  /// What keep_one_device() says.
  std::string left_out{};
  /// Each is a profile of one of `graphs`.
  std::vector<Profile> profiles{};
  /// Profiles, each of one of `graphs`, whose kernels count besides the measured calls.
  std::vector<Profile> seen{};
  std::vector<SequenceRun> sequences{};
  std::vector<PlanRun> plans{};
  /// As typed: the paths of `graphs`, and the flags that name results and filters (but not the
  /// precision), ready for a shell: " --results build/results --layout nhwc".
  std::vector<std::string> graph_paths{};
  std::string asked{};
  /// One filter per precision.
  std::vector<MeasurementFilter> filters{};
  Movement movement = Movement::exclude;
  bool allow_missing = false;
  /// "table", "json" or "csv"; `rows` limits the rows of each table.
  std::string format = "table";
  std::size_t rows = std::numeric_limits<std::size_t>::max();
};

/// The measurements for a model at the filter's precision: with weights from memory if the model's
/// do not fit the cache and calls were timed so, unless the filter asks for the cache.
const MeasurementSet& measurements_of(const Inputs& inputs, const Graph& graph,
                                      const MeasurementFilter& filter);

/// Reads all files. Throws Error, one line, for an invalid flag, a file that cannot be read, and a
/// profile of none of the graphs. Checks the flags before it reads any file.
Inputs read_inputs(const CommonFlags& flags);

inline Movement movement_of(const CommonFlags& flags) {
  return flags.movement == "include" ? Movement::include : Movement::exclude;
}

/// The graph of the profiled model. Throws Error, ending in `otherwise`, if there is none.
const Graph& graph_of(const Profile& profile, const std::vector<Graph>& graphs,
                      std::string_view otherwise = "");

/// Returns the calls of all logs, in order. Throws Error with a one-line message.
std::vector<LibraryCall> read_api_logs(const std::vector<std::string>& paths);

inline constexpr double seconds_per_hour = 3600;

/// USD per hour by device name.
using Prices = std::map<std::string, double>;

/// Reads a JSON file {"device name": USD per hour, ...}; returns none for an empty path. Throws
/// Error (one line).
Prices read_prices(const std::string& path);

/// The name by which people know the machine: its GPU, or its processor.
std::string device_of(const std::map<std::string, System>& systems);

}  // namespace benanza::analysis
