#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <vector>

#include "suites/harness/conditions/observer.h"
#include "suites/harness/conditions/pace.h"

namespace benanza::harness {

/// How processors spent their time since the machine started, in ticks of the kernel's clock.
struct ProcessorTicks {
  std::int64_t busy = 0;
  /// A hypervisor gave the time to another machine.
  std::int64_t steal = 0;
  std::int64_t total = 0;

  bool operator==(const ProcessorTicks&) const = default;
};

/// Of a row measured on the host's processors, by what the kernel counts (/proc/stat,
/// /proc/self/stat) of those that this process may use:
///   steal_percent             of their time, which a hypervisor gave to others
///   other_processors          how many of them other processes kept busy, on the average
///   cpu_clock_mhz_before, cpu_clock_mhz_after
///                             average (/sys/devices/system/cpu/*/cpufreq, else /proc/cpuinfo)
/// The counts are coarse, 10 ms: a timing shorter than `least_seconds` is judged together with what
/// was before it.
/// A disturbance: steal_percent from `most_steal_percent` on, and other_processors from
/// most_other_processors() on.
class HostObserver : public Observer {
 public:
  static constexpr double least_seconds = 0.2;
  static constexpr double most_steal_percent = 5;
  /// A quarter, and 2% of them all, for what the two counts differ by.
  static double most_other_processors(std::size_t processors) {
    return 0.25 + 0.02 * static_cast<double>(processors);
  }

  /// `processors`: numbers of those that this process may use. `root`: the folder of proc and sys.
  explicit HostObserver(std::vector<int> processors, std::filesystem::path root = "/",
                        const Pace::Now& now = Pace::steady_seconds);

  void begin() override;
  Conditions end() override;

 private:
  /// Empty: the machine does not tell.
  struct Reading {
    std::optional<ProcessorTicks> machine{};
    /// This process's part of `machine.busy`.
    std::optional<std::int64_t> own{};
    std::optional<double> clock_mhz{};
  };

  Reading read();
  std::optional<ProcessorTicks> machine_ticks() const;
  std::optional<std::int64_t> own_ticks() const;
  std::optional<double> clock_mhz() const;
  /// The latest reading from which at least least_seconds have passed until `last`; no later than
  /// begin(). Null if there is none.
  const Reading* start_of_window(const Reading& last) const;

  std::vector<int> processors_;
  std::filesystem::path root_;
  double ticks_per_second_;
  Pace pace_of_ticks_;
  Pace pace_of_clock_;
  /// The last is that of begin().
  std::deque<Reading> readings_;
};

}  // namespace benanza::harness
