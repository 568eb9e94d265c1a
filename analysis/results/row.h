#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/results/measurement.h"

namespace benanza {

/// One row of a results file.
struct ResultRow {
  Measurement measurement{};
  std::int64_t repetition = 0;
  /// Everything else the suite said and that does not follow from the samples, as members of a JSON
  /// object without its braces: "FLOPs":42,"stopped_by":"budget".
  std::string facts{};
};

/// One row, a JSON object. Empty for an aggregate of Google Benchmark, which is no measurement.
/// Throws Error, without a file's name, for what is no row: not JSON, a name that is none, an
/// unknown status, an ok row without a positive time.
std::optional<ResultRow> parse_row(std::string_view text);

/// The row as the suites write it: one JSON object with the members that compare.py and parse_row
/// read.
std::string row_text(const ResultRow& row);

}  // namespace benanza
