#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace benanza::nvidia {

/// Why a GPU's clocks are below their highest, as NVML counts the bits
/// (nvmlClocksEventReasons, once nvmlClocksThrottleReasons).
namespace clock_reason {
inline constexpr std::uint64_t idle = 0x1;
inline constexpr std::uint64_t applications_clocks = 0x2;
inline constexpr std::uint64_t power_cap = 0x4;
inline constexpr std::uint64_t hardware_slowdown = 0x8;
inline constexpr std::uint64_t sync_boost = 0x10;
inline constexpr std::uint64_t software_thermal = 0x20;
inline constexpr std::uint64_t hardware_thermal = 0x40;
inline constexpr std::uint64_t power_brake = 0x80;
inline constexpr std::uint64_t display_clock = 0x100;
}  // namespace clock_reason

/// What the driver's management library says of one GPU now. Reads, never sets. Every answer is
/// empty where the device or the driver has none.
class Management {
 public:
  struct ProcessUse {
    unsigned process = 0;
    /// Share of the time in which its kernels ran.
    unsigned percent = 0;
  };

  virtual ~Management() = default;
  virtual std::optional<std::string> driver_version() = 0;
  virtual std::optional<double> power_limit_watts() = 0;
  virtual std::optional<double> sm_clock_mhz() = 0;
  virtual std::optional<double> memory_clock_mhz() = 0;
  /// Bits of clock_reason.
  virtual std::optional<std::uint64_t> clock_reasons() = 0;
  virtual std::optional<double> power_watts() = 0;
  virtual std::optional<double> temperature_celsius() = 0;
  /// Share of the last second, or a part of it, in which any kernel ran, in percent.
  virtual std::optional<double> utilization_percent() = 0;
  /// Processes that hold a context for computing. Their numbers are the host's: a container may
  /// know itself by another, and may see none but its own.
  virtual std::optional<std::vector<unsigned>> compute_processes() = 0;
  /// What each process has used since the last question, as the driver samples it.
  virtual std::optional<std::vector<ProcessUse>> process_use() = 0;
};

/// NVML, loaded now (libnvidia-ml.so.1). Null where there is none or it does not know the device.
/// Throws DeviceLost.
std::unique_ptr<Management> open_management(int device);

}  // namespace benanza::nvidia
