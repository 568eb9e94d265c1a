#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/problem/name.h"
#include "core/results_file/row.h"
#include "core/statistics/process_sum.h"
#include "core/statistics/repetitions.h"

namespace benanza::analysis {

/// Where a repetition was read.
struct RowPlace {
  /// The number of the file or database.
  std::uint32_t source = 0;
  /// How many earlier rows there are of the same repetition and process: a database holds several
  /// runs.
  std::uint32_t earlier = 0;
  std::int64_t process = 1;
  std::int64_t repetition = 0;
};

/// The merged repetitions of one variant on one system.
struct Measurement {
  VariantName variant{};
  Status status = Status::ok;
  /// The message of the library or the verifier if the status is not ok.
  std::string reason{};
  /// Seconds per call, the median of each repetition; not empty if the status is ok.
  std::vector<double> repetition_seconds{};
  /// The process that took each of them: equal for two variants if both have it from the same
  /// process of the same run of a suite. Empty: one process took all.
  std::vector<std::int64_t> repetition_processes{};
  /// Where each of them was read; empty if they were not read from files.
  std::vector<RowPlace> places{};
  /// Workspace in bytes, beyond operands and result.
  std::optional<std::int64_t> workspace_bytes{};
  /// Row::shares_workspace.
  bool shares_workspace = false;
  /// Rank of the algorithm by the library's own heuristic for this precision and layout, 1 being
  /// its choice; empty if the library does not rank it.
  std::optional<int> heuristic_rank{};
  /// Whether the call used Tensor Cores; empty if unknown.
  std::optional<bool> tensor_cores{};

  /// Names of the call's kernels, each once, in order, readable; empty if they were not recorded.
  std::vector<std::string> kernels{};

  /// Seconds per call with weights that come from memory; empty if it was not measured.
  std::optional<double> rotating_seconds{};

  /// Energy of a call in joules; empty if it was not measured.
  std::optional<double> joules{};

  /// Number of entries of repetition_seconds that are marked as disturbed
  /// (Row::is_disturbed()), and the cause given for the first of them.
  std::size_t disturbed_repetitions = 0;
  std::string disturbance{};
  /// Number of entries of repetition_seconds that had company (Row::had_company()). If one
  /// process took all, those without company replace them.
  std::size_t crowded_repetitions = 0;
  /// Measured on the processors of a virtual machine, which does not see its neighbours.
  bool virtual_machine = false;
  /// True if, in every repetition, only the first choice was asked for
  /// (Row::first_choice).
  bool first_choice = false;
  /// The call overwrites an operand.
  bool in_place = false;
  /// The call is the library's reference code.
  bool reference = false;
  /// Row::strided_axes; 0: none.
  std::int64_t strided_axes = 0;

  /// Row::constant_bytes.
  std::optional<std::int64_t> constant_bytes{};
  /// Row::operand_formats and Row::result_formats.
  std::vector<std::string> operand_formats{};
  std::vector<std::string> result_formats{};

  /// Share of the repetitions that had company.
  double company() const {
    return repetition_seconds.empty() ? 0
                                      : static_cast<double>(crowded_repetitions) /
                                            static_cast<double>(repetition_seconds.size());
  }
  /// Mean over the processes that did not stall, or trimmed mean over the repetitions of one
  /// (value_over_processes()). Only valid if the status is ok.
  double seconds() const { return value_over_processes(repetition_seconds, repetition_processes); }
  /// The time in each process that took repetitions.
  std::vector<ProcessValue> process_seconds() const {
    return by_process(repetition_seconds, repetition_processes);
  }
};

/// Measurements by problem key. Keys match as strings, without wildcards.
class MeasurementSet {
 public:
  /// Adds a variant, or another repetition of one. The times of ok repetitions are collected; of
  /// one process, those that had company count only if no other is ok. An incorrect repetition
  /// makes the variant incorrect; otherwise one ok repetition makes it ok.
  void add(Measurement measurement);
  /// `source`: a number of the file. Rows of several files are of different processes, and so are
  /// rows of one file or database that are equal repetitions of equal processes.
  void add(Row row, std::size_t source = 0);
  /// Removes all variants of these backends.
  void remove(const std::set<std::string>& backends);

  /// Returns every variant of the problem, ordered by precision, layout, backend, algorithm, and
  /// hot before cold; empty if there is none.
  std::span<const Measurement> find(std::string_view key) const;
  /// The variant of this name (core/problem/name.h) that has a time; null if there is none.
  const Measurement* call(std::string_view name) const;
  std::size_t size() const;
  /// Returns true if any variant has a disturbed repetition or is a first choice.
  bool any_marked() const { return any_marked_; }
  /// Returns all keys, sorted. The views are valid as long as the set is.
  std::vector<std::string_view> keys() const;

 private:
  std::map<std::string, std::vector<Measurement>, std::less<>> by_key_;
  bool any_marked_ = false;
};

}  // namespace benanza::analysis
