#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "suites/harness/backend.h"

namespace benanza::nvidia {

/// Why a GPU's clocks are below their maximum: NVML's bits (nvmlClocksEventReasons, formerly
/// nvmlClocksThrottleReasons).
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

/// The current state of one GPU, from the driver's management library (NVML). Read-only. Values are
/// empty if the device or the driver does not support them.
class Management {
 public:
  struct ProcessUse {
    unsigned process = 0;
    /// Share of the time during which its kernels ran.
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
  /// Joules since the driver was loaded.
  virtual std::optional<double> energy_joules() = 0;
  virtual std::optional<double> temperature_celsius() = 0;
  /// Share of the last second, or of a part of it, during which any kernel ran, in percent.
  virtual std::optional<double> utilization_percent() = 0;
  /// Ids of the processes that hold a compute context. They are ids of the host's PID namespace: a
  /// process in a container may have another id there, and may see only its own processes.
  virtual std::optional<std::vector<unsigned>> compute_processes() = 0;
  /// Use by each process since the previous call, as sampled by the driver.
  virtual std::optional<std::vector<ProcessUse>> process_use() = 0;
};

/// Loads NVML (libnvidia-ml.so.1). Returns null if it is not available or does not know the device.
/// Throws DeviceLost.
std::unique_ptr<Management> open_management(int device);

/// The properties of the system on which results depend: "device", "compute_capability",
/// "multiprocessors", "memory_bytes", "memory_bus_bits", "l2_bytes", "ecc", "sm_clock_khz" and
/// "memory_clock_khz" (nominal), "power_limit_w" and "driver" (if NVML is available), "cuda_driver"
/// (CUDA version the driver supports), "cuda_runtime" (version of the loaded runtime). The device
/// must exist.
System cuda_system(int device);

/// Formats 91400, the version scheme of cuDNN and cuBLAS, as "9.14.0".
std::string library_version_text(std::size_t version);

/// Formats 13000, CUDA's version scheme, as "13.0".
std::string cuda_version_text(int version);

}  // namespace benanza::nvidia
