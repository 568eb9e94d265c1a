#pragma once

#include <filesystem>
#include <vector>

#include "analysis/input/database.h"

namespace benanza::analysis {

/// Writes every backend's results as one Google Benchmark JSON file, <folder>/<backend>.json, as
/// the suites write them; importing them makes an equal database. Returns the files. A file is
/// replaced as a whole or not at all. Throws Error naming what cannot be written.
std::vector<std::filesystem::path> export_results(Database& database,
                                                  const std::filesystem::path& folder);

}  // namespace benanza::analysis
