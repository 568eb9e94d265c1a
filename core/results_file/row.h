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
/// so it was not timed. failed: anything else.
enum class Status { ok, unsupported, incorrect, failed };
std::string_view to_string(Status status);
std::optional<Status> parse_status(std::string_view text);

/// Values of the fact "stopped_by". The median is known well enough.
inline constexpr std::string_view stopped_by_convergence = "converged";
/// The time budget was spent.
inline constexpr std::string_view stopped_by_budget = "budget";
/// Another variant of the problem is so much faster that the exact time does not matter.
inline constexpr std::string_view stopped_by_rival = "outclassed";

/// Something that a suite reports of a variant, by the name of the row's member.
using Fact = std::variant<bool, double, std::string>;
using Facts = std::map<std::string, Fact>;

/// One repetition of a variant: one object in "benchmarks" of a results file.
///   name, run_name            op/key/precision/layout/backend/algorithm[/cold]; equal
///   family_index, per_family_instance_index, repetitions, repetition_index, threads,
///   run_type = "iteration"    as in Google Benchmark
///   FLOPs, bytes              work of one call: arithmetic, and every byte read and written once
///   status                    "ok" | "unsupported" | "incorrect" | "failed"
/// if the status is ok:
///   iterations                calls inside timed regions
///   real_time, cpu_time       median time of a call, in time_unit = "us"; equal
///   FLOP/s, bytes/s           at the median
///   workspace_bytes           scratch memory beyond operands and result
///   shares_workspace = true   other calls of the library use the same
///   min                       seconds per call, of the fastest sample
///   cv                        coefficient of variation of the samples
///   sample_count, calls_per_sample
///   timed_seconds             spent inside timed regions, without the warm-up
///   samples                   [seconds per call, ...] in the order taken
///   stopped_by                "converged" | "budget" | "outclassed"
///   tolerance                 "sum" | "transform": the tolerance used to verify the result, if
///                             that of a plain fp32 sum was not enough; with
///                             rounding_amplification, the factor on the error of summing, and
///                             partial_sums, how many were rounded to the result's type
///   data                      "random, 4 bits" | "random, 24 bits": significant bits of the inputs
///   disturbed                 what may have made the times longer: other processes, throttling;
///                             still present when the times were taken again
///   company = true | false    with "disturbed": other programs or a hypervisor were a cause
///   constant_bytes            of weights as the call has them, if it packs, pads or transforms
///                             them to another size than the problem's
///   operand_formats, result_formats
///                             in layouts that leave them to the library: how each tensor lies in
///                             memory, "row-major" or equal names for equal formats, with commas
///   process                   number of the process that took it, from 1 within the file; without
///                             it, the first. Repetitions of one process share its memory and its
///                             neighbours
///   first_choice = true       no other algorithm of the problem was requested (--algorithms best)
///   over_limit = true         left out by --problem-limit
///   measured_again = true     the first times were disturbed; these are the second ones
///   steal_percent, other_processors, cpu_clock_mhz_before, cpu_clock_mhz_after
///                             of a host's processors (suites/harness/conditions/)
///   sm_clock_mhz_before, ... of a GPU (suites/nvidia/device/gpu_observer.h)
///   rotating_seconds, ...     of a call whose weights come from memory
///                             (suites/harness/run/later_passes.h)
///   energy_joules, ...        of a call, with --energy (suites/harness/run/later_passes.h)
///   and every fact that the backend reports, under its own name
/// otherwise:
///   reason                    one line
///   engine_lost = true        the variant took the engine down: it is not tried again
///   error_occurred = true, error_message = "<status>: <reason>"
///   iterations, real_time, cpu_time = 0: as Google Benchmark writes a row with an error, and as
///                             compare.py requires. They are not times; check `status`.
/// No number is NaN or infinite; unknown numbers are left out.
/// row_members.h says which field is which member.
struct Row {
  VariantName variant{};
  std::int64_t repetition = 0;
  Status status = Status::ok;
  /// If the status is not ok: one line, in the library's or the verifier's words.
  std::string reason{};
  /// Seconds per call, in the order taken; not empty if the status is ok.
  std::vector<double> samples{};
  std::optional<double> flops{};
  std::optional<double> bytes{};
  std::optional<std::int64_t> workspace_bytes{};
  /// Its workspace is the library's own, which other calls use as well.
  bool shares_workspace = false;
  /// Rank among the algorithms by the library's heuristic, 1 for its choice; empty if the library
  /// does not rank them.
  std::optional<int> heuristic_rank{};
  std::optional<std::int64_t> calls_per_sample{};
  std::optional<double> timed_seconds{};
  std::string stopped_by{};
  bool engine_lost = false;
  /// The causes, "steal 12%, power cap"; empty if nothing was noticed. The fact "throttled" (of
  /// suites, and of all files from before November 2026) makes it "throttled" if there is no other.
  std::string disturbed{};
  /// Given if it is disturbed.
  std::optional<bool> company{};
  bool measured_again = false;
  /// On the processors of a virtual machine.
  bool virtual_machine = false;
  std::optional<std::int64_t> process{};
  bool first_choice = false;
  /// Not tried, because other calls of the problem had taken as long as --problem-limit allows.
  bool over_limit = false;
  /// The call overwrites an operand.
  bool in_place = false;
  /// The call is the library's reference code.
  bool reference = false;
  /// It can be made for operands and results in strides of the caller's, if these leave so many
  /// axes when axes are merged that follow each other in memory; empty: for dense ones only.
  std::optional<std::int64_t> strided_axes{};
  /// Of all weights, as the call has them; empty: as the problem says.
  std::optional<std::int64_t> constant_bytes{};
  /// Of the problem's operands and results, in its order; empty: as the layout says.
  std::vector<std::string> operand_formats{};
  std::vector<std::string> result_formats{};
  std::string tolerance{};
  std::optional<double> rounding_amplification{};
  std::optional<double> partial_sums{};
  std::string data{};
  /// Whether Tensor Cores were used: as the library reports, by the kernels' names, by hardware
  /// counters.
  std::optional<bool> tensor_core_claimed{};
  std::optional<bool> tensor_core_by_name{};
  std::optional<bool> tensor_core_counted{};
  /// As a profiler gives them (mangled).
  std::vector<std::string> kernel_names{};
  /// What the profiler was asked for, and why there is nothing.
  std::string profiled{};
  std::string profile_failed{};
  /// Seconds per call where weights come from memory, of how many copies, and why that is not
  /// known.
  std::optional<double> rotating_seconds{};
  std::optional<std::int64_t> rotating_copies{};
  std::string rotating_failed{};
  /// Joules per call, and why they are not known.
  std::optional<double> energy_joules{};
  std::string energy_failed{};
  /// What a backend or an observer says beyond that, as the members of a JSON object without its
  /// braces: "power_w":342,"algorithm_id":7.
  std::string facts{};

  /// Something may have made the times longer.
  bool is_disturbed() const { return !disturbed.empty(); }
  /// Other programs or a hypervisor, not only the device's own limits (a power cap, heat).
  bool had_company() const { return company.value_or(false); }
  /// The number of the process that took it.
  std::int64_t process_number() const { return process.value_or(1); }
  /// From hardware counters if they were read, otherwise from the kernels' names, otherwise as the
  /// library reports; empty if unknown.
  std::optional<bool> tensor_cores() const {
    if (tensor_core_counted) return tensor_core_counted;
    return tensor_core_by_name ? tensor_core_by_name : tensor_core_claimed;
  }
};

/// Empty for NaN and infinity.
std::optional<double> finite(double value);
/// Sets the row's field of this name; without one, appends to Row::facts. Leaves out what is not
/// finite. Throws std::logic_error if the field is of another type.
void add_fact(Row& row, std::string_view name, const Fact& value);
/// The same, and replaces what Row::facts has by these names.
void replace_facts(Row& row, const Facts& facts);
/// All members of `row.facts`.
Facts facts_of(const Row& row);
/// The members of all fields that row_members.h lists, and `row.facts`, without braces.
std::string members_text(const Row& row);

/// Parses rows. Not thread-safe.
class RowParser {
 public:
  RowParser();
  RowParser(RowParser&&) noexcept;
  ~RowParser();

  /// Parses the row in text[begin, end), a JSON object; `text` may continue with anything. Returns
  /// nothing for Google Benchmark's aggregates, which are not measurements. If a row has no
  /// samples, as other programs write it, its real_time becomes the only sample. Throws Error,
  /// without a file name, if it is not a row: not JSON, an invalid name, an unknown status, an ok
  /// row without a positive time.
  std::optional<Row> parse(std::string_view text, std::size_t begin, std::size_t end);
  std::optional<Row> parse(std::string_view text) { return parse(text, 0, text.size()); }
  /// Reads the members that members_text() wrote. Throws Error like parse().
  void add_members(Row& row, std::string_view members);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Position of a row in its file; not part of the measurement.
struct RowPosition {
  std::int64_t family = 0;
  std::int64_t repetitions = 1;
};

/// The row as one line of JSON, without a line break.
std::string row_text(const Row& row, const RowPosition& position = {});

struct Counter {
  std::string_view name;
  double value = 0;
};

/// The numbers of an ok row besides its time, under the names above; unknown ones are left out.
std::vector<Counter> counters(const Row& row);

/// Appends `text` as a JSON string; bytes that are not UTF-8 are replaced.
void append_json(std::string& out, std::string_view text);

/// Fact of a row whose call has the model's axes, of a problem that other calls ask for in fewer.
inline constexpr const char* as_in_model_fact = "as_in_model";

/// Fact of a row that is unsupported although the library has the call: it is known to compute
/// wrong results here, and is not made.
inline constexpr const char* known_defect_fact = "known_defect";

/// Fact of a row that failed because a signal ended the program in the call.
inline constexpr const char* crashed_fact = "crashed";

}  // namespace benanza
