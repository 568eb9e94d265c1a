#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "core/results_file/origin.h"
#include "core/results_file/row.h"

namespace benanza {

/// Receives a results file, in the file's order.
struct ResultsSink {
  /// Once, before any row.
  std::function<void(const Origin&)> begin;
  std::function<void(Row&&)> add;
};

/// Reads a results file of any size: rows are parsed on all processors, a few MB at a time, and
/// given to `sink` in this thread. Throws Error, one line that ends with `remedy`, for a file that
/// is not a results file, is cut short or has another schema; some rows may have been given by
/// then.
void read_rows(const std::filesystem::path& path, const ResultsSink& sink,
               std::string_view remedy = "measure again, or leave the file out");

}  // namespace benanza
