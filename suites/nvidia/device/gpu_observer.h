#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "suites/harness/conditions/energy_meter.h"
#include "suites/harness/conditions/observer.h"
#include "suites/nvidia/device/management.h"

namespace benanza::nvidia {

/// Observes a GPU through NVML right before the first sample of a row and right after the last:
///   sm_clock_mhz_before, sm_clock_mhz_after, memory_clock_mhz_before, memory_clock_mhz_after
///   power_w, temperature_c    after
///   clock_reasons             of before and after: why clocks were below their maximum, "power
///                             cap, idle"; absent if there is no reason
///   other_gpu_processes       processes with their own context; absent if the driver lists none
/// A row is disturbed by a power cap or a slowdown by heat or by the board ("idle" and
/// "applications clocks" do not count), and by another process, unless the driver reports that it
/// ran nothing. Slow queries are repeated rarely (harness::Pace).
class GpuObserver : public harness::Observer {
 public:
  /// `management` must outlive the observer. `own_process`: the id of this process.
  GpuObserver(Management& management, unsigned own_process,
              harness::Pace::Now now = harness::Pace::steady_seconds);

  /// Adds `count` processes, started by this one, that hold a context but run nothing.
  void add_own_processes(std::size_t count) { own_processes_ += count; }

  void begin() override;
  harness::Conditions end() override;

  /// The state of the GPU when the observer was created, before this process used it, for the
  /// context of the results: {"gpu_utilization_before_percent", "0"}, ...
  const std::vector<std::pair<std::string, std::string>>& at_start() const { return at_start_; }

 private:
  struct Reading {
    std::optional<double> sm_clock_mhz{};
    std::optional<double> memory_clock_mhz{};
    std::optional<std::uint64_t> reasons{};
  };
  /// One pace for each query. A variant takes 5 to 50 ms, and there are six queries.
  struct Paces {
    static constexpr harness::Pace::Limits limits{.free_seconds = 0.03e-3, .rest = 400};
    explicit Paces(const harness::Pace::Now& now)
        : clocks(now, limits),
          reasons(now, limits),
          power(now, limits),
          temperature(now, limits),
          processes(now, limits),
          use(now, limits) {}
    harness::Pace clocks, reasons, power, temperature, processes, use;
  };

  Reading read();
  /// Returns the number of other processes.
  std::optional<std::size_t> others();
  /// Queries whether another process ran anything.
  void ask_others_ran();

  Management& management_;
  unsigned own_process_;
  /// This process and those it has started.
  std::size_t own_processes_ = 1;
  Paces paces_;
  Reading before_;
  /// The last answer of the driver, which samples a few times a second. Empty if unknown.
  std::optional<bool> others_ran_;
  std::vector<std::pair<std::string, std::string>> at_start_;
};

/// Formats bits of clock_reason, "power cap, idle"; empty for none.
std::string clock_reason_names(std::uint64_t reasons);

/// The reasons that slow the GPU down below its configured clocks.
inline constexpr std::uint64_t throttling =
    clock_reason::power_cap | clock_reason::hardware_slowdown | clock_reason::software_thermal |
    clock_reason::hardware_thermal | clock_reason::power_brake;

/// The energy of a GPU with its memory, by NVML (Volta and later).
class GpuEnergyMeter final : public harness::EnergyMeter {
 public:
  /// `management` must outlive the meter.
  explicit GpuEnergyMeter(Management& management) : management_(management) {}

  std::optional<double> joules() override { return management_.energy_joules(); }
  /// Assumed: not measured on any GPU so far.
  double update_seconds() const override { return 0.1; }
  std::string_view source() const override { return "nvml"; }

 private:
  Management& management_;
};

}  // namespace benanza::nvidia
