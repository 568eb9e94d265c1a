#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

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

}  // namespace benanza::lists
