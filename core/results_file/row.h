#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/problem/name.h"

namespace benanza {

/// The outcome of one variant. unsupported: the library refused. incorrect: the result was wrong,
/// so nothing was timed. failed: anything else.
enum class Status { ok, unsupported, incorrect, failed };
std::string_view to_string(Status status);
std::optional<Status> parse_status(std::string_view text);

/// Values of Row::stopped_by: the median is known well enough.
inline constexpr std::string_view stopped_by_convergence = "converged";
/// The time for it was spent.
inline constexpr std::string_view stopped_by_budget = "budget";
/// Another variant of the problem is so much faster that the exact time does not matter.
inline constexpr std::string_view stopped_by_rival = "outclassed";

/// More that a suite knows of a variant, by the name of a member of its row.
using Facts = std::map<std::string, std::variant<bool, double, std::string>>;

/// One repetition of a variant: one object in "benchmarks" of a results file.
///   name, run_name            op/key/precision/layout/backend/algorithm[/cold]; equal
///   family_index, per_family_instance_index, repetitions, repetition_index, threads,
///   run_type = "iteration"    as in Google Benchmark
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
///   timed_seconds             spent inside timed regions, without the warm-up
///   samples                   [seconds per call, ...] in the order taken
///   stopped_by                "converged" | "budget" | "outclassed"
///   tolerance                 "sum" | "transform": by which it was verified, where that of a plain
///                             sum in fp32 was not enough; with rounding_amplification, by which
///                             the error of summing was multiplied, and partial_sums, how many
///                             were rounded to the result's type
///   data                      "random, 4 bits" | "random, 24 bits": significant bits of the inputs
///   disturbed                 what may have made the times longer than they are alone: company,
///                             throttling; it was still so when they were taken once more
///   first_choice = true       no other algorithm of the problem was asked for (--algorithms best)
///   measured_again = true     the first times were disturbed; these are the second ones
///   steal_percent, other_processors, cpu_clock_mhz_before, cpu_clock_mhz_after
///                             of a host's processors (suites/harness/conditions/)
///   sm_clock_mhz_before, ... of a GPU (suites/nvidia/device/gpu_observer.h)
///   and every fact the backend knows of the variant, under its own name
/// otherwise:
///   reason                    one line
///   engine_lost = true        the variant took the engine down: it is not tried again
///   error_occurred = true, error_message = "<status>: <reason>"
///   iterations, real_time, cpu_time = 0: what Google Benchmark writes for a row with an error, and
///                             what compare.py needs. They are not times: only `status` says so.
/// No number is NaN or infinite; an unknown one is left out.
struct Row {
  VariantName variant{};
  std::int64_t repetition = 0;
  Status status = Status::ok;
  /// Where the status is not ok: one line, in the library's or the verifier's words.
  std::string reason{};
  /// Seconds per call, in the order taken; not empty where the status is ok.
  std::vector<double> samples{};
  std::optional<std::int64_t> workspace_bytes{};
  /// Place among the algorithms by the library's own heuristic, 1 for its choice; empty where the
  /// library has no opinion.
  std::optional<int> heuristic_rank{};
  /// By the hardware's counters if they were read, else by the kernels' names, else as the library
  /// says; empty where nobody knows. Read from facts.
  std::optional<bool> tensor_cores{};
  /// Every other member that cannot be computed from those above, as the members of a JSON object
  /// without its braces: "FLOPs":42,"stopped_by":"budget".
  std::string facts{};
};

/// Appends members to Row::facts.
void add_fact(std::string& facts, std::string_view name, bool value);
/// Does nothing for NaN and infinity. Whole numbers are written without a fraction.
void add_fact(std::string& facts, std::string_view name, double value);
void add_fact(std::string& facts, std::string_view name, std::string_view value);
/// Is its time marked as one that may not be the machine's own ("disturbed", "throttled")?
bool is_disturbed(const Row& row);
/// Is it marked as its library's first choice, beside which no other was asked for?
bool is_first_choice(const Row& row);
/// `row` without that mark.
Row without_first_choice(Row row);
/// All members of `row.facts`.
Facts facts_of(const Row& row);

/// Parses rows; not for several threads at once.
class RowParser {
 public:
  RowParser();
  RowParser(RowParser&&) noexcept;
  ~RowParser();

  /// The row in text[begin, end), a JSON object; what follows it in `text` may be anything. Empty
  /// for an aggregate of Google Benchmark, which is no measurement. A row without samples, as other
  /// programs write it, has its real_time as the only one. Throws Error, without a file's name, for
  /// what is no row: not JSON, an invalid name, an unknown status, an ok row without a positive
  /// time.
  std::optional<Row> parse(std::string_view text, std::size_t begin, std::size_t end);
  std::optional<Row> parse(std::string_view text) { return parse(text, 0, text.size()); }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Where a row stands in its file; not part of what was measured.
struct RowPosition {
  std::int64_t family = 0;
  std::int64_t repetitions = 1;
};

/// The row as one line of JSON, without line break.
std::string row_text(const Row& row, const RowPosition& position = {});

struct Counter {
  std::string_view name;
  double value = 0;
};

/// The numbers of an ok row beside its time, under the names above; those that can be known.
std::vector<Counter> counters(const Row& row);

/// Appends `text` as a JSON string; bytes that are not UTF-8 are replaced.
void append_json(std::string& out, std::string_view text);

}  // namespace benanza
