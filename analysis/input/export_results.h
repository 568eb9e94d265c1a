#pragma once

#include <filesystem>
#include <vector>

#include "analysis/input/database.h"

namespace benanza::analysis {

/// Writes the results of every backend to a Google Benchmark JSON file, <folder>/<backend>.json, in
/// the format of the suites; importing them gives an equal database. Returns the files. Replaces
/// each file as a whole or not at all. Throws Error naming a file that cannot be written.
std::vector<std::filesystem::path> export_results(Database& database,
                                                  const std::filesystem::path& folder);

}  // namespace benanza::analysis
