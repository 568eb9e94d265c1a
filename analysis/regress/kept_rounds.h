#pragma once

#include <filesystem>
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

}  // namespace benanza::regress
