#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "suites/harness/conditions/observer.h"
#include "suites/harness/conditions/pace.h"
#include "suites/nvidia/device/management.h"

namespace benanza::nvidia {

/// Of a row measured on a GPU, by what the driver's management library says right before the first
/// sample and right after the last:
///   sm_clock_mhz_before, sm_clock_mhz_after, memory_clock_mhz_before, memory_clock_mhz_after
///   power_w, temperature_c    after
///   clock_reasons             of before and after: why clocks were below their highest, "power
///                             cap, idle"; not there if for no reason
///   other_gpu_processes       with a context of their own; not there if the driver shows none
/// A disturbance: power cap, slowdown by heat or by the board ("idle" and "applications clocks" are
/// none); another process, unless the driver knows that it ran nothing. A question that takes long
/// is asked rarely (harness::Pace).
class GpuObserver : public harness::Observer {
 public:
  /// `management` outlives it. `own_process`: this one's number.
  GpuObserver(Management& management, unsigned own_process,
              harness::Pace::Now now = harness::Pace::steady_seconds);

  /// This process has started so many that hold a context and run nothing.
  void add_own_processes(std::size_t count) { own_processes_ += count; }

  void begin() override;
  harness::Conditions end() override;

  /// For the context of the results: what the GPU did when the observer was made, before this
  /// process had any work for it. {"gpu_utilization_before_percent", "0"}, ...
  const std::vector<std::pair<std::string, std::string>>& at_start() const { return at_start_; }

 private:
  struct Reading {
    std::optional<double> sm_clock_mhz{};
    std::optional<double> memory_clock_mhz{};
    std::optional<std::uint64_t> reasons{};
  };
  /// One pace for each question.
  struct Paces {
    explicit Paces(const harness::Pace::Now& now)
        : clocks(now), reasons(now), power(now), temperature(now), processes(now), use(now) {}
    harness::Pace clocks, reasons, power, temperature, processes, use;
  };

  Reading read();
  /// How many processes are not this one's own.
  std::optional<std::size_t> others();
  /// Asks whether a process that is not this one's own ran anything.
  void ask_others_ran();

  Management& management_;
  unsigned own_process_;
  /// This one, and those that it has started.
  std::size_t own_processes_ = 1;
  Paces paces_;
  Reading before_;
  /// As the driver said last: it looks some times a second. Empty: it does not tell.
  std::optional<bool> others_ran_;
  std::vector<std::pair<std::string, std::string>> at_start_;
};

/// "power cap, idle" of bits of clock_reason; empty for none.
std::string clock_reason_names(std::uint64_t reasons);

/// Those that slow the GPU down below what it was set to.
inline constexpr std::uint64_t throttling =
    clock_reason::power_cap | clock_reason::hardware_slowdown | clock_reason::software_thermal |
    clock_reason::hardware_thermal | clock_reason::power_brake;

}  // namespace benanza::nvidia
