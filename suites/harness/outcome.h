#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/problem/problem.h"
#include "core/results_file/row.h"

namespace benanza::harness {

/// Wall time spent on a row outside the timed regions, by phase. In seconds.
struct PhaseSeconds {
  /// Setting up the call: plans, kernels, memory.
  double create = 0;
  /// Inputs, the reference, and the comparison with it, before and after timing.
  double check = 0;
  double warm_up = 0;
  /// Between the timed regions.
  double between = 0;
  /// Starting what the next variants need.
  double ahead = 0;
  /// All of a row that has no time: refused, failed or incorrect.
  double in_vain = 0;

  PhaseSeconds& operator+=(const PhaseSeconds& more);
};

/// Returns `text` in one line, without surrounding whitespace; "no reason given" if nothing is
/// left.
std::string one_line(std::string_view text);

/// Outcome of one variant. All fields after `reason` are set only if the status is ok.
struct Outcome {
  Status status = Status::failed;
  /// One line, in the library's words if it refused. Empty if the status is ok.
  std::string reason{};
  /// Seconds per call, one value per sample, in the order they were taken.
  std::vector<double> samples{};
  std::int64_t calls_per_sample = 0;
  std::int64_t workspace_bytes = 0;
  /// Seconds spent inside timed regions, warm-up not included.
  double timed_seconds = 0;
  PhaseSeconds phases{};
  /// Why sampling stopped: one of the constants in core/results_file/row.h.
  std::string stopped_by{};
  /// True if this variant made the engine unusable; it is not tried again.
  bool engine_lost = false;
  /// The first times were disturbed; these are the second ones.
  bool measured_again = false;
  /// No other algorithm of the problem was asked for.
  bool first_choice = false;
  /// Row::over_limit.
  bool over_limit = false;
  /// data_kind() of the inputs.
  std::string data{};
  /// What the library, the observer and the verification say.
  Facts facts{};
  /// Conditions::disturbances while the samples were taken.
  std::vector<std::string> disturbances{};
  /// Conditions::company.
  bool company = false;
};

/// Converts the outcome to a row of results. `name` as in core/problem/name.h.
Row make_row(std::string_view name, std::int64_t repetition, const Work& work,
             const Outcome& outcome);

/// True if another repetition, in this run or a later one, is pointless: the library refused, or
/// the engine was lost.
bool settled(const Row& row);
/// True if sampling stopped because another variant is much faster.
bool outclassed(const Row& row);

/// Returns the row with these facts, which replace older ones of the same name.
Row with_facts(Row row, const Facts& facts);

}  // namespace benanza::harness
