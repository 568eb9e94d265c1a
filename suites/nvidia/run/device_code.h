#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "suites/harness/row_gather.h"
#include "suites/nvidia/device/handles.h"

namespace benanza::nvidia {

/// The kernels of DeviceCode in PTX, which the driver compiles for the GPU.
extern const char device_code_ptx[];

/// A reading of an SM's clock.
struct ClockReading {
  /// Wall clock of the GPU, in nanoseconds.
  std::uint64_t nanoseconds = 0;
  /// Cycles of SM 0.
  std::uint64_t cycles = 0;
};

/// Average clock frequency between two readings, in Hz. 0 if one is missing or no time has passed.
double clock_hz(const ClockReading& before, const ClockReading& after);

/// The kernels needed for timing, for measuring the peaks, and for what no library does.
class DeviceCode {
 public:
  explicit DeviceCode(int multiprocessors);

  /// Enqueues a single-threaded kernel that runs for `seconds`.
  void delay(double seconds, cudaStream_t stream);
  /// Number of readings.
  static constexpr std::size_t readings_kept = 64;
  /// Enqueues a reading of SM 0's clock into reading(index).
  void read_clock(std::size_t index, cudaStream_t stream);
  /// Resets the readings to zero before new ones, so that a missing one is detected.
  void forget_readings();
  /// Enqueues a kernel that copies `bytes`, a multiple of copied_at_once.
  void copy(std::byte* to, const std::byte* from, std::int64_t bytes, cudaStream_t stream);
  /// Enqueues a kernel that reads `bytes`, a multiple of copied_at_once. `scratch` may be written.
  void read(std::byte* scratch, const std::byte* from, std::int64_t bytes, cudaStream_t stream);
  static constexpr std::int64_t copied_at_once = 16384;
  /// Enqueues a kernel that gathers rows of an even number of bytes.
  void gather(const harness::RowGather& rows, cudaStream_t stream);
  /// Valid after synchronising the stream.
  const ClockReading& reading(std::size_t index) const { return readings_[index]; }

 private:
  struct FreeHost {
    void operator()(ClockReading* memory) const noexcept { cudaFreeHost(memory); }
  };
  Handle<cudaLibrary_t, &cudaLibraryUnload> library_;
  cudaKernel_t delay_ = nullptr;
  cudaKernel_t read_clock_ = nullptr;
  cudaKernel_t copy_ = nullptr;
  cudaKernel_t read_ = nullptr;
  cudaKernel_t gather_ = nullptr;
  cudaKernel_t gather_narrow_ = nullptr;
  int multiprocessors_;
  std::unique_ptr<ClockReading[], FreeHost> readings_;
};

}  // namespace benanza::nvidia
