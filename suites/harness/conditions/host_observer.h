#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <vector>

#include "suites/harness/conditions/observer.h"

namespace benanza::harness {

/// Processor time since boot, in kernel clock ticks.
struct ProcessorTicks {
  std::int64_t busy = 0;
  /// Time that a hypervisor gave to another virtual machine.
  std::int64_t steal = 0;
  std::int64_t total = 0;

  bool operator==(const ProcessorTicks&) const = default;
};

/// Observes the processors this process may use, from the kernel's counters (/proc/stat,
/// /proc/self/stat), while a row is measured on the host:
///   steal_percent             share of their time that a hypervisor gave to other machines
///   other_processors          how many of them other processes kept busy, on average
///   cpu_clock_mhz_before, cpu_clock_mhz_after
///                             average (/sys/devices/system/cpu/*/cpufreq, else /proc/cpuinfo)
///   virtual_machine           true if it is one (/proc/cpuinfo): what its neighbours do to caches
///   and
///                             shared units is in no counter here
/// The counters have a resolution of 10 ms: a timing shorter than `least_seconds` is judged
/// together with the time before it.
/// A row is disturbed if steal_percent is at least `most_steal_percent` or other_processors is at
/// least most_other_processors().
class HostObserver : public Observer {
 public:
  static constexpr double least_seconds = 0.2;
  static constexpr double most_steal_percent = 5;
  /// A quarter, plus 2% of all processors because the two counters never agree exactly.
  static double most_other_processors(std::size_t processors) {
    return 0.25 + 0.02 * static_cast<double>(processors);
  }

  /// `processors`: the numbers of those this process may use. `root`: the folder containing proc
  /// and sys.
  explicit HostObserver(std::vector<int> processors, std::filesystem::path root = "/",
                        const Pace::Now& now = Pace::steady_seconds);

  void begin() override;
  Conditions end() override;

 private:
  /// Fields are empty if the machine does not report them.
  struct Reading {
    std::optional<ProcessorTicks> machine{};
    /// This process's share of `machine.busy`.
    std::optional<std::int64_t> own{};
    std::optional<double> clock_mhz{};
  };

  Reading read();
  std::optional<ProcessorTicks> machine_ticks() const;
  std::optional<std::int64_t> own_ticks() const;
  std::optional<double> clock_mhz() const;
  /// Returns the latest reading at a begin() that is at least least_seconds before `last`. Null if
  /// there is none.
  const Reading* start_of_window(const Reading& last) const;

  std::vector<int> processors_;
  std::filesystem::path root_;
  bool virtual_machine_;
  double ticks_per_second_;
  Pace pace_of_ticks_;
  Pace pace_of_clock_;
  /// The last one is from the latest begin().
  std::deque<Reading> readings_;
};

}  // namespace benanza::harness
