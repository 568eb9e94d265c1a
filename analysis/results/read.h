#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "results/measurement.h"

namespace benanza {

/// What a measurement depends on: device, versions, threads.
using System = std::map<std::string, std::string>;

struct Results {
  MeasurementSet measurements;
  /// Of every backend that measured.
  std::map<std::string, System> systems;
};

/// Reads Google Benchmark JSON files as the suites write them; of a folder every *.json in it and
/// below. A file named twice counts once. Throws Error, one line, for a file that is no results
/// file, is cut short or has another schema, a folder without results, and two files of one backend
/// that were measured on different systems.
Results read_results(const std::vector<std::filesystem::path>& paths);

}  // namespace benanza
