#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/problem/problem.h"
#include "generator/lowered/lowered.h"

/// Lists of problems: folders of tables, each with one kind of problem.
namespace benanza::lists {

/// One row of a table. All errors name the file and the line.
class Row {
 public:
  /// `place`: "models/deepbench/gemm.tsv:12".
  Row(std::string place, std::map<std::string, std::string, std::less<>> values)
      : place_(std::move(place)), values_(std::move(values)) {}

  /// Throws Error if the table has no such column.
  const std::string& text(std::string_view column) const;
  /// Throws Error if the value is not an integer or is below `least`.
  std::int64_t integer(std::string_view column, std::int64_t least = 1) const;
  /// Throws Error if the value is not a number.
  double real(std::string_view column) const;
  /// Returns the comma-separated values.
  std::vector<std::string> words(std::string_view column) const;
  Error error(const std::string& message) const { return Error(place_ + ": " + message); }

 private:
  std::string place_;
  std::map<std::string, std::string, std::less<>> values_;
};

/// Reads tab-separated values: a line of column names, then the rows. Lines that start with # are
/// comments; empty lines are skipped. Throws Error if the file cannot be read, or if a row has more
/// or fewer values than there are columns.
std::vector<Row> read_table(const std::filesystem::path& path);

/// The problem of a row in one direction.
struct Pass {
  /// "fwd", "bwd_data", ...
  std::string name;
  /// Empty if no library call is known; `reason` then says why.
  std::optional<Problem> problem{};
  std::string reason{};
};

/// A row, translated to problems.
struct Entry {
  /// As written in the list: "m=1760 n=16 k=1760 NN".
  std::string sizes;
  /// In the order in which a training step runs them.
  std::vector<Pass> passes;
};

/// How the rows of <name>.tsv are read. Every .cpp file in kinds/ defines one, as `Kind <file
/// name>_kind()`.
struct Kind {
  std::string_view name;
  /// Throws Error, by Row::error(), for an invalid row.
  Entry (*read)(const Row& row);
};

/// Returns all kinds. Generated from the files in kinds/.
std::vector<Kind> kinds();

/// Reads one set of rows as a model named <folder>_<set>: one layer per row and pass, in the order
/// of the tables' names and of their rows, without data flow. A layer's name is the row's sizes,
/// the pass if there are several, and what uses it: "m=1760 n=16 k=1760 NN (speech recognition)";
/// its op is <folder>.<table>, plus the pass unless it is fwd: "deepbench.conv.bwd_data". `path` is
/// <folder>/<set>, where <folder> holds the tables and <set> is a value of their column `set`.
/// Throws Error, one line, if a table cannot be read or has no known kind, or if no row is in the
/// set.
LoweredGraph read_list(const std::filesystem::path& path);

}  // namespace benanza::lists
