#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "analysis/regress/side.h"

namespace benanza::regress {

/// Rounds whose results are kept in a folder: NNN_before.json, NNN_after.json and, once both are
/// complete, NNN.round with what was requested, one flag per line.
class KeptRounds {
 public:
  explicit KeptRounds(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Returns the rows of a complete round; empty if there is none.
  std::optional<RowsOfRound> find(const Round& round) const;
  /// Throws Error, one line, if the folder has this round but with other flags.
  void need_same(const Measured& measured, const Round& round) const;
  void add(const Measured& measured, const Round& round) const;
  /// Returns the number of complete rounds, from the first one up to the first gap.
  int count() const;

 private:
  std::filesystem::path file(int number, const char* ending) const;

  std::filesystem::path folder_;
};

/// Reads the rows of a suite's results file.
std::vector<Row> rows_in(const std::filesystem::path& file);

/// Returns `options` changed so that `rounds` suffice: the last look is after all of them. Throws
/// Error unless there are more rounds than the screening takes.
GateOptions with_rounds(GateOptions options, int rounds);

/// Called before each unit of a round.
using Progress = std::function<void(std::size_t done, std::size_t units)>;

/// Runs a process of each side at the same time. They alternate every few milliseconds: both set a
/// unit up, then A is visited, B, B, A, A, ..., so that changes of the machine affect both. Writes
/// their results to `folder` and returns them. Throws Error, one line, if a suite does not end with
/// results.
RowsOfRound run_round(const SideOfGate& before, const SideOfGate& after, const Measured& measured,
                      const Round& round, const std::filesystem::path& folder,
                      const Progress& progress);

}  // namespace benanza::regress
