#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/input/measurement.h"
#include "core/results_file/origin.h"

namespace benanza::analysis {

struct Results {
  MeasurementSet measurements;
  /// Of every backend that measured.
  std::map<std::string, System> systems;
  /// Of every backend that measured its device's.
  std::map<std::string, PeakValues> peaks;
};

/// Keys of problems.
using KeySet = std::set<std::string, std::less<>>;

/// The results files `paths` stand for: a file itself, of a folder every *.json in it and below.
/// Sorted, each once. Throws Error for a folder without any.
std::vector<std::filesystem::path> result_files(const std::vector<std::filesystem::path>& paths);

/// Reads results as the suites write them, Google Benchmark JSON files and folders of them, and
/// databases. A file named twice counts once, and so does a row that several of them hold (equal
/// variant, repetition, outcome and samples); another row of the same variant, measured elsewhere
/// or again, is a repetition more. `wanted`: only these problems; empty: all. Throws Error, one
/// line, for a file that is no results file, is cut short or has another schema, a folder without
/// results, and two files of one backend that were measured on different systems.
Results read_results(const std::vector<std::filesystem::path>& paths,
                     const std::optional<KeySet>& wanted = {});

}  // namespace benanza::analysis
