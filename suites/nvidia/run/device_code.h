#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "suites/nvidia/device/handles.h"

namespace benanza::nvidia {

/// The device code of the stopwatch, in PTX: the driver compiles it for the GPU at hand.
extern const char device_code_ptx[];

/// Reading of an SM's clock.
struct ClockReading {
  /// Wall clock of the GPU, in nanoseconds.
  std::uint64_t nanoseconds = 0;
  /// Cycles of SM 0.
  std::uint64_t cycles = 0;
};

/// Average clock between two readings, in Hz. 0 if one is missing or no time has passed.
double clock_hz(const ClockReading& before, const ClockReading& after);

/// The kernels that timing and the peaks need.
class DeviceCode {
 public:
  explicit DeviceCode(int multiprocessors);

  /// Enqueues a kernel of one thread that ends `seconds` after it began.
  void delay(double seconds, cudaStream_t stream);
  /// Enqueues a reading of SM 0's clock into readings()[index], index 0 or 1.
  void read_clock(std::size_t index, cudaStream_t stream);
  /// Before a new pair, so that a reading that fails is seen to be missing (zeros).
  void forget_readings();
  /// Enqueues the copy of `bytes`, a multiple of copied_at_once, by a kernel of our own.
  void copy(std::byte* to, const std::byte* from, std::int64_t bytes, cudaStream_t stream);
  /// Enqueues the reading of `bytes`, a multiple of copied_at_once. `scratch` may be written.
  void read(std::byte* scratch, const std::byte* from, std::int64_t bytes, cudaStream_t stream);
  static constexpr std::int64_t copied_at_once = 16384;
  /// Valid after the stream has been waited for.
  std::array<ClockReading, 2> readings() const;

 private:
  struct FreeHost {
    void operator()(ClockReading* memory) const noexcept { cudaFreeHost(memory); }
  };
  Handle<cudaLibrary_t, &cudaLibraryUnload> library_;
  cudaKernel_t delay_ = nullptr;
  cudaKernel_t read_clock_ = nullptr;
  cudaKernel_t copy_ = nullptr;
  cudaKernel_t read_ = nullptr;
  int multiprocessors_;
  std::unique_ptr<ClockReading[], FreeHost> readings_;
};

}  // namespace benanza::nvidia
