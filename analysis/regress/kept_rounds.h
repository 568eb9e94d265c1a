#pragma once

#include <filesystem>
#include <optional>

#include "analysis/regress/side.h"

namespace benanza::regress {

/// Rounds whose results a folder keeps, NNN_before.json and NNN_after.json, and NNN.round once both
/// are whole: what was asked for, a line for every flag.
class KeptRounds {
 public:
  explicit KeptRounds(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Rows of a whole round; empty where there is none.
  std::optional<RowsOfRound> find(const Round& round) const;
  /// Throws Error, one line, where a round is there that was asked for something else.
  void need_same(const Measured& measured, const Round& round) const;
  void add(const Measured& measured, const Round& round) const;
  /// Whole ones, from the first on without a gap.
  int count() const;

 private:
  std::filesystem::path file(int number, const char* ending) const;

  std::filesystem::path folder_;
};

/// Reads what `file` says of the rows of a suite.
std::vector<Row> rows_in(const std::filesystem::path& file);

/// `options`, so that `rounds` are enough: the last look is at what they have. Throws Error where
/// they are fewer than the screening takes and one more.
GateOptions with_rounds(GateOptions options, int rounds);

}  // namespace benanza::regress
