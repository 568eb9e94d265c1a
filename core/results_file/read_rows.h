#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "core/results_file/origin.h"
#include "core/results_file/row.h"

namespace benanza {

/// Receives the contents of a results file, in file order.
struct ResultsSink {
  /// Called once, before any row.
  std::function<void(const Origin&)> begin;
  std::function<void(Row&&)> add;
};

/// Reads a results file of any size: rows are parsed on all processors, a few MB at a time, and
/// passed to `sink` on the calling thread. Throws Error, one line that ends with `remedy`, if the
/// file is not a results file, is truncated or has another schema; `sink` may have received rows by
/// then.
void read_rows(const std::filesystem::path& path, const ResultsSink& sink,
               std::string_view remedy = "measure again, or leave the file out");

}  // namespace benanza
