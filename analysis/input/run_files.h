#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
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

/// A plan, run as one: what bench_plan --benchmark_out writes.
struct PlanRun {
  /// By backend of its calls.
  std::map<std::string, System> systems{};
  std::string model{};
  std::optional<std::int64_t> batch{};
  Precision precision = Precision::fp32;
  /// Of its graph: which pass of a model it is; empty in files of earlier versions.
  std::map<std::string, std::string> metadata{};
  /// The plan has calls of several layers.
  bool fused = false;
  /// Its calls are those that the libraries' heuristics choose.
  bool by_heuristic = false;
  std::size_t steps = 0;
  /// By benanza-analyze plan, with the conversions and gaps it expected.
  double predicted_seconds = 0;
  double predicted_conversion_seconds = 0;
  double predicted_gap_seconds = 0;
  /// Conversions between the formats of steps, and their time alone.
  std::size_t conversions = 0;
  double conversion_seconds = 0;
  /// Of all calls, in runs of the plan and repeated at their places; 0: not measured.
  double step_seconds = 0;
  double repeated_seconds = 0;
  /// Of layers that are left to the caller, as measured.
  double prepared_seconds = 0;
  /// Of each step's call, in a run of the plan and repeated at its place.
  struct Call {
    std::string call{};
    double seconds = 0;
    double repeated_seconds = 0;
    /// Of the conversions before it.
    double conversion_seconds = 0;
    /// Names of those whose work it does.
    std::vector<std::string> layers{};
  };
  /// Of each step, and of each conversion, in a run of the plan; empty: not measured.
  std::vector<Call> calls{};
  struct Conversion {
    /// Names of formats, "row-major".
    std::string from{};
    std::string to{};
    /// Of what it writes.
    double bytes = 0;
    double seconds = 0;
  };
  std::vector<Conversion> conversion_times{};
  /// How many tensors were compared with those of another program; 0: the plan was not checked.
  std::size_t checked_tensors = 0;
  /// Of whole runs, one a repetition.
  std::vector<double> seconds{};
  /// The same with steps at the same time that need not wait for each other; empty: not measured.
  std::vector<double> branch_seconds{};
  /// The sum of what groups of such steps gained, one at a time; none in runs of earlier versions.
  std::optional<double> predicted_branch_gain_seconds{};

  /// "cublas and cudnn".
  std::string backends() const;
};

/// Throws Error, one line.
PlanRun read_plan_run(const std::filesystem::path& path);

bool is_of(const PlanRun& run, const Graph& graph);

}  // namespace benanza::analysis
