#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/graph_file/graph.h"
#include "core/problem/precision.h"
#include "record/store/recording.h"

namespace benanza::record {

/// A recording as pseudo-models. Their layers are calls, each depending on the previous one.
struct RecordedGraphs {
  /// If the program repeats a step, in which at most the number of keys grows that an attention
  /// reads (of several numbers the middle one's): that step, one layer per call, in order; then the
  /// calls before and after it as "<name>_rest". A graph of calls outside a step has one layer per
  /// distinct call, in the order of first occurrence, with its problem listed once per call. If
  /// there is no step, the only graph has this form.
  std::vector<Graph> graphs{};
  /// The precisions of the operands, in the order of first occurrence. If there are several, every
  /// layer states its own.
  std::vector<Precision> precisions{};
  /// What was found, as whole lines for the user.
  std::vector<std::string> summary{};
};

/// `name` is the model's. Calls that search for an algorithm are left out. If `asked` is not empty,
/// all calls are taken at these precisions instead of their own. `logs` say what the calls mean.
/// Throws Error if there is nothing to make a suite of.
RecordedGraphs recorded_graphs(const std::string& name, const std::vector<CallTotal>& totals,
                               const std::vector<std::uint32_t>& sequence,
                               const std::vector<Precision>& asked = {},
                               const std::vector<Log>& logs = library_logs());

/// Reads the recording from a file.
RecordedGraphs graphs_of_recording(const std::filesystem::path& recording,
                                   const std::vector<Precision>& asked = {},
                                   const std::vector<Log>& logs = library_logs());

}  // namespace benanza::record
