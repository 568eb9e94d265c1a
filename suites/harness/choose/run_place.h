#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace benanza::harness {

/// The place of this process in a run whose repetitions several processes take, one after the other
/// (--processes).
struct RunPlace {
  /// From 1.
  std::int64_t number = 1;
  /// Of processes.
  std::int64_t count = 1;
  /// The number in the results file (Row::process) of the run's first process; empty: of this one.
  std::optional<std::int64_t> first{};
  /// When the run started, in seconds of the monotonic clock.
  double started = 0;

  /// How many of `repetitions` are taken when this process ends.
  std::int64_t until(std::int64_t repetitions) const { return repetitions * number / count; }
};

/// Seconds of the monotonic clock, which all processes of a run share.
double monotonic_seconds();

/// The flag that gives a process its place. `text` is its value; `count` stays 1. Throws Error if
/// it is not one.
inline constexpr std::string_view place_flag = "--process";
std::string place_text(const RunPlace& place);
RunPlace parse_place(const std::string& text);

/// When this program exits, it is started again in its place, with the same flags and this place,
/// so that it has new memory and nothing of what it has opened. `peaks`: a results file that holds
/// the device's peaks, which need not be measured again; may be empty. Call it once, and then
/// return from main().
void start_again_at_exit(const RunPlace& place, const std::string& peaks);
/// True if start_again_at_exit() named the results file from which the peaks were read.
bool has_peaks_of_run(const std::string& file);
/// SIGINT and SIGTERM that arrive between these two, one of which the next process calls, are not
/// lost.
void hold_signals();
void accept_signals();

}  // namespace benanza::harness
