#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "suites/harness/backend.h"
#include "suites/harness/choose/run_place.h"
#include "suites/harness/choose/variants.h"
#include "suites/harness/machine_context.h"
#include "suites/harness/measure/measure.h"
#include "suites/harness/measure/race.h"

namespace benanza::harness {

/// What is printed while measuring. console, csv: a row a repetition, as Google Benchmark does;
/// json: the results file, in the end; problems: a line a problem, in the end; by_size: console for
/// a few rows, else problems.
enum class Display { console, csv, json, problems, by_size };

/// The command line of a suite.
struct SuiteOptions {
  Selection selection;
  /// Models' .graph.json files; their problems are added to the selection's.
  std::vector<std::filesystem::path> graphs;
  /// Files of cases (case_file.h), which are measured instead; empty: none.
  std::vector<std::filesystem::path> cases;
  MeasureOptions measure;
  /// Of AlgorithmSet::search.
  RaceRules race;
  std::int64_t repetitions = 1;
  /// Among how many processes they are divided, and which of them this one is.
  RunPlace place;
  /// Results file; empty: none.
  std::filesystem::path out;
  /// File for the run's progress (report/progress.h); empty: none.
  std::filesystem::path progress;
  /// File naming the system that all runs share (one_system.h); empty: none.
  std::filesystem::path one_system;
  /// For the context of the results.
  Writer writer;
  Display display = Display::by_size;
  /// Print the names and exit.
  bool list = false;
  /// Print the devices and exit.
  bool list_devices = false;
  /// Whether the fastest calls are timed once more with weights that come from memory.
  bool rotates_weights = true;
  /// Seconds for which the energy of each of the fastest variants is measured, after all times;
  /// empty: not at all.
  std::optional<double> energy_seconds;
  /// Calls to time one after the other (sequence.h), and the file to write; empty: none.
  std::filesystem::path sequence;
  std::filesystem::path sequence_out;
  bool fresh = false;
  /// Folder of results files from which to remove what would be measured (forget.h), instead of
  /// measuring; empty: none.
  std::filesystem::path forget;
  /// Measure on request of another process (serve.h).
  bool serve = false;
  /// Print CTest measurements.
  bool ctest = false;
  /// Print the help and exit.
  bool help = false;
  std::string help_text;
  /// Print this text and exit: --version, --man, --completion.
  std::optional<std::string> answer;
  /// Passed to Google Benchmark unchanged, without argv[0].
  std::vector<std::string> benchmark_flags;
};

/// What to print of so many variants: settles Display::by_size.
Display display_of(const SuiteOptions& options, std::int64_t variants);

/// Parses the command line: the suite's own flags and those of Google Benchmark's that must not
/// reach it because the suite handles names, rows and files itself. Throws Error naming a flag that
/// is unknown or has an invalid value. The flags of `backend` must have been removed from argv
/// already.
SuiteOptions parse_options(int argc, const char* const* argv, const Backend& backend);

}  // namespace benanza::harness
