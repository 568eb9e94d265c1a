#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "suites/harness/backend.h"
#include "suites/harness/measurement.h"

namespace benanza {

/// The file of results, read by analysis and by Google Benchmark's compare.py:
///
///   {"context": {"date", "host_name", "executable", "num_cpus", "mhz_per_cpu",
///                "cpu_scaling_enabled", "caches": [...], "load_avg": [...], "library_build_type",
///                ... what --benchmark_context adds ...,
///                "benanza": {"schema": 1, "backend": "onednn", "system": {string: string}}},
///    "benchmarks": [row, ...]}
///
/// A row, one per repetition of a variant:
///   name, run_name            op/key/precision/layout/backend/algorithm[/cold]; equal
///   family_index, per_family_instance_index, repetitions, repetition_index, threads,
///   run_type = "iteration"    as Google Benchmark means them
///   FLOPs, bytes              work of one call: arithmetic, and every byte read and written once
///   status                    "ok" | "unsupported" | "incorrect" | "failed"
/// where the status is ok:
///   iterations                calls inside timed regions
///   real_time, cpu_time       median time of a call, in time_unit = "us"; equal
///   FLOP/s, bytes/s           at the median
///   workspace_bytes           scratch memory beyond operands and result
///   min                       seconds per call, of the fastest sample
///   cv                        coefficient of variation of the samples
///   sample_count, calls_per_sample
///   timed_seconds             spent inside timed regions
///   samples                   [seconds per call, ...] in the order taken
///   stopped_by                "converged" | "budget" | "outclassed"
///   and every fact the backend knows of the variant, under its own name
/// otherwise:
///   reason                    one line
///   engine_lost = true        only where the variant took the engine down: it is not tried again
///   error_occurred = true, error_message = "<status>: <reason>"
///   iterations, real_time, cpu_time = 0: what Google Benchmark writes for a row with an error, and
///                             what compare.py needs. They are not times: only `status` says so.
/// No number is NaN or infinite; an unknown one is left out.
inline constexpr int results_schema = 1;

/// What the rows of one file have in common.
struct Source {
  std::string backend;
  System system;
};

struct Row {
  std::string name;
  std::int64_t repetition = 0;
  double flops = 0;
  std::int64_t bytes = 0;
  Outcome outcome;
};

struct Counter {
  std::string_view name;
  double value = 0;
};

/// The numbers of an ok row beside its time, under the names above.
std::vector<Counter> counters(const Row& row);

/// A row as one line of JSON, without line break; `parse_row` reads it back. Empty if `line` is not
/// a whole row.
std::string to_line(const Row& row);
std::optional<Row> parse_row(std::string_view line);

/// A Source as one line of JSON. Empty if `line` is not one, or is of another schema.
std::string to_line(const Source& source);
std::optional<Source> parse_source(std::string_view line);

struct Results {
  Source source;
  std::vector<Row> rows;
};

/// Of the program that writes a file, for its context.
struct Writer {
  std::string executable;
  /// Names and values to add to the context.
  std::vector<std::pair<std::string, std::string>> context;
};

/// One line for every row.
std::string to_document(const Results& results, const Writer& writer);
/// Throws Error naming `path` if `text` is not such a document, or is of another schema.
Results parse_document(std::string_view text, const std::filesystem::path& path);

/// Throws Error naming `path` and the first field that differs, if rows of `found` and `wanted` may
/// not stand in one file.
void require_same_source(const Source& found, const Source& wanted,
                         const std::filesystem::path& path);

}  // namespace benanza
