#pragma once

#include <filesystem>
#include <functional>

#include "analysis/results/row.h"
#include "analysis/results/system.h"

namespace benanza {

/// Receives a results file, in the file's order.
struct ResultsSink {
  /// Once, before any row.
  std::function<void(const Origin&)> begin;
  std::function<void(ResultRow&&)> add;
};

/// Reads a Google Benchmark JSON file as the suites write it, of any size: rows are parsed by all
/// processors, a few MB at a time, and given to `sink` in this thread. Throws Error, one line, for
/// a file that is no results file, is cut short or has another schema; some rows may have been
/// given by then.
void read_rows(const std::filesystem::path& path, const ResultsSink& sink);

}  // namespace benanza
