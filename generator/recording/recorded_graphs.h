#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/graph_file/graph.h"
#include "core/problem/precision.h"
#include "core/recording/recording.h"

namespace benanza::recorded {

/// A recording as pseudo-models, whose layers are calls, one after the other.
struct RecordedGraphs {
  /// The step that the program repeats, a layer for every call, in their order. Where it repeats
  /// none: every distinct call, in the order of their first ones, as a layer whose problem is
  /// listed as often as it was called. Then, where a step was found, the calls before and behind it
  /// the same way: "<name>_rest".
  std::vector<Graph> graphs{};
  /// Of the operands, in the order in which they came first.
  std::vector<Precision> precisions{};
  /// What was found, for people; whole lines.
  std::vector<std::string> summary{};
};

/// `name`: of the model. Throws Error where there is nothing to make a suite of.
RecordedGraphs recorded_graphs(const std::string& name, const std::vector<CallTotal>& totals,
                               const std::vector<std::uint32_t>& sequence);

/// The same of a file.
RecordedGraphs recorded_graphs(const std::filesystem::path& recording);

}  // namespace benanza::recorded
