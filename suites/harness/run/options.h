#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "suites/harness/backend.h"
#include "suites/harness/machine_context.h"
#include "suites/harness/measure/measure.h"
#include "suites/harness/run/variants.h"

namespace benanza::harness {

enum class Display { console, csv, json };

/// The command line of a suite.
struct SuiteOptions {
  Selection selection;
  /// Models' .graph.json files whose problems join the selection's.
  std::vector<std::filesystem::path> graphs;
  MeasureOptions measure;
  std::int64_t repetitions = 1;
  /// Results file; empty: none.
  std::filesystem::path out;
  /// Where the run says how far it is (progress_file.h); empty: nowhere.
  std::filesystem::path progress;
  /// File of the system that all runs share (one_system.h); empty: none.
  std::filesystem::path one_system;
  /// For the context of the results.
  Writer writer;
  Display display = Display::console;
  /// Print the names and end.
  bool list = false;
  /// Print the devices and end.
  bool list_devices = false;
  bool fresh = false;
  /// Measure what another process asks for (serve.h).
  bool serve = false;
  /// Print CTest measurements.
  bool ctest = false;
  /// Print the help and end.
  bool help = false;
  std::string help_text;
  /// Print this and end: --version, --man, --completion.
  std::optional<std::string> answer;
  /// Handed to Google Benchmark as they are, argv[0] not included.
  std::vector<std::string> benchmark_flags;
};

/// Reads the command line: the suite's own flags and those of Google Benchmark's that must not
/// reach it, because names, rows and files are the suite's. Throws Error naming the flag that is
/// unknown or has an impossible value. The flags of `backend` are those that are gone already.
SuiteOptions parse_options(int argc, const char* const* argv, const Backend& backend);

}  // namespace benanza::harness
