#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "analysis/input/database.h"
#include "analysis/input/measurement.h"
#include "core/results_file/origin.h"

namespace benanza::analysis {

struct Results {
  MeasurementSet measurements{};
  /// System of every backend that has results.
  std::map<std::string, System> systems{};
  /// Device peaks, by backend, of those that measured them.
  std::map<std::string, PeakValues> peaks{};
  /// Times of anchors, by backend, of those that measured them: of all files.
  std::map<std::string, AnchorTimes> anchors{};
  /// A sentence for each file that holds rows more than once; empty if none does.
  std::string doubled{};
};

/// Problem keys.
using KeySet = std::set<std::string, std::less<>>;

/// Expands `paths`: a file stands for itself, a folder for every *.json in it that is no
/// model (*.graph.json), recursively and sorted. Each file is returned once. Throws Error for a
/// folder without any.
std::vector<std::filesystem::path> result_files(const std::vector<std::filesystem::path>& paths);

/// Reads results: Google Benchmark JSON files of the suites, folders of them, and databases. A file
/// given twice counts once, and so does a row that is there several times, in one file or in
/// several (equal variant, repetition, outcome and samples); any other row of the same variant is
/// another repetition, and so are rows of one sample in a file that numbers no repetitions, whose
/// equal times prove nothing. `wanted`: only
/// these problems; nullopt: all. Throws Error, one line, for a file that is not a results file, is
/// truncated or has another schema, a folder without results, and two files of one backend that
/// were measured on different systems.
Results read_results(const std::vector<std::filesystem::path>& paths,
                     const std::optional<KeySet>& wanted = {});

enum class DeviceKind { processor, gpu };

/// Of a backend's system.
DeviceKind kind_of(const System& system);

/// Leaves out the results of processors or of GPUs if there are both: a bound that mixes their
/// calls is none, as nothing counts the copies between them. Keeps those of the device of `backend`
/// or, if that is empty, those of `wanted`, by default of the GPU. Returns sentences that say so,
/// one a line, after those of Results::doubled; empty if there are none. Throws Error if `backend`
/// is empty and two backends' GPUs differ.
std::string keep_one_device(Results& results, const std::string& backend,
                            std::optional<DeviceKind> wanted = std::nullopt);
/// The same for several results that are compared with each other: GPUs if all have results of
/// them, else processors.
std::string keep_one_device(std::span<Results* const> all, const std::string& backend);
/// What keep_one_device() leaves.
Results of_one_device(Results results, const std::string& backend,
                      std::optional<DeviceKind> wanted = std::nullopt);

/// Writes the results of every backend to a Google Benchmark JSON file, <folder>/<backend>.json, in
/// the format of the suites; importing them gives an equal database. Returns the files. Replaces
/// each file as a whole or not at all. Throws Error naming a file that cannot be written.
std::vector<std::filesystem::path> export_results(Database& database,
                                                  const std::filesystem::path& folder);

}  // namespace benanza::analysis
