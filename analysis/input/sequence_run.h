#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/graph_file/graph.h"
#include "core/problem/precision.h"
#include "core/results_file/origin.h"

namespace benanza::analysis {

/// The calls of a bound, timed one after the other as one: what bench_* --sequence writes.
struct SequenceRun {
  /// By backend of its calls.
  std::map<std::string, System> systems{};
  std::string model{};
  std::optional<std::int64_t> batch{};
  Precision precision = Precision::fp32;
  /// The calls of the bound with fusion.
  bool fused = false;
  std::size_t calls = 0;
  /// The sum of the calls' times, each by itself.
  double alone_seconds = 0;
  /// Of whole sequences.
  std::vector<double> seconds{};
  /// Of a whole sequence, of the whole device; empty: not measured.
  std::optional<double> joules{};

  /// "cublas and cudnn".
  std::string backends() const;
};

/// Throws Error, one line.
SequenceRun read_sequence_run(const std::filesystem::path& path);

bool is_of(const SequenceRun& run, const Graph& graph);

/// Throws Error, naming `path`, if its calls, measured on `systems` by backend, are of a backend or
/// system that has no results. `what` it is: "sequence".
void require_same_systems(const std::map<std::string, System>& systems,
                          const std::map<std::string, System>& results,
                          const std::filesystem::path& path, const std::string& what);

}  // namespace benanza::analysis
