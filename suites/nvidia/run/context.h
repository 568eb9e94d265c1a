#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "suites/harness/backend.h"
#include "suites/harness/peaks/peaks.h"
#include "suites/nvidia/device/device_lock.h"
#include "suites/nvidia/device/device_memory.h"
#include "suites/nvidia/device/gpu_observer.h"
#include "suites/nvidia/device/handles.h"
#include "suites/nvidia/device/options.h"
#include "suites/nvidia/profiling/profiler.h"
#include "suites/nvidia/run/device_code.h"
#include "suites/nvidia/run/operand_store.h"
#include "suites/nvidia/run/result_reader.h"
#include "suites/nvidia/run/stopwatch.h"

namespace benanza::nvidia {

/// A GPU used by this process: the device, a stream, a workspace and a stopwatch. Must outlive all
/// primitives created with it.
class CudaContext {
 public:
  /// Makes the device current. Throws NoGpu, with the driver's message, if there is none.
  explicit CudaContext(const CudaOptions& options);

  cudaStream_t stream() const { return stream_.get(); }
  CudaStopwatch& stopwatch() { return *stopwatch_; }
  CudaProfiler& profiler() { return profiler_; }
  const CudaOptions& options() const { return options_; }
  /// Device, versions and clocks (cuda_system()). Backends add their library's version.
  const System& system() const { return system_; }

  std::int64_t l2_bytes() const;

  /// The peaks, which no measurement can exceed; empty if not measured yet.
  const std::optional<harness::Peaks>& peaks() const { return peaks_; }
  void set_peaks(harness::Peaks peaks) { peaks_ = std::move(peaks); }

  /// Returns at least `bytes` of scratch memory, shared by all primitives, which run one at a time.
  /// A caller that keeps the pointer keeps the block alive even after the context has switched to a
  /// larger one. Throws OutOfMemory.
  std::shared_ptr<DeviceMemory> workspace(std::int64_t bytes);
  OperandStore& operands() { return operands_; }
  DeviceAllocator& allocator() { return allocator_; }
  /// Lets memory that is allocated from now on lie elsewhere, by holding a few blocks of random
  /// sizes, half a GB at most.
  void move_operands();
  ResultReader& results();
  DeviceCode& code();

  /// Largest workspace a library may use now, in bytes: the free memory, limited by
  /// --max-workspace.
  std::int64_t max_workspace_bytes() const;

 private:
  CudaOptions options_;
  System system_;
  Stream stream_;
  std::shared_ptr<DeviceMemory> workspace_;
  std::unique_ptr<CudaStopwatch> stopwatch_;
  OperandStore operands_;
  std::optional<ResultReader> results_;
  std::optional<DeviceCode> code_;
  std::optional<harness::Peaks> peaks_;
  CudaProfiler profiler_;
  DeviceAllocator allocator_;
  std::deque<DeviceMemory> ballast_;
  std::minstd_rand random_;
};

/// A GPU that is opened on first use, so that help and names work without one.
class LazyContext {
 public:
  explicit LazyContext(CudaOptions options) : options_(std::move(options)) {}

  const CudaOptions& options() const { return options_; }

  /// Opens the GPU in the first call, and waits until no other suite measures on it. Throws NoGpu.
  CudaContext& get();

  /// The observer of the GPU; null if NVML is not available. Opens the GPU.
  GpuObserver* observer();

  /// The GPU's energy counter; null if NVML does not have one. Opens the GPU.
  GpuEnergyMeter* energy_meter();

  using MeasurePeaks = std::function<harness::Peaks(LazyContext&)>;
  void measure_peaks_with(MeasurePeaks measure) { measure_peaks_ = std::move(measure); }
  /// Returns the peaks. The first call measures them, if a function for that is set, or reads them
  /// from a file, as --peaks says, and stores them in the context. Empty with --peaks=none. Throws
  /// what get() and the measurement throw, and Error for a file without peaks of this device.
  const std::optional<harness::Peaks>& peaks();

 private:
  CudaOptions options_;
  std::optional<CudaContext> context_;
  std::optional<DeviceLock> lock_;
  std::unique_ptr<Management> management_;
  std::optional<GpuObserver> observer_;
  std::optional<GpuEnergyMeter> meter_;
  MeasurePeaks measure_peaks_;
};

/// One line for each GPU that this process may use, "0: NVIDIA H100 80GB HBM3, 79.1 GiB"; empty if
/// there is none.
std::vector<std::string> usable_devices();

}  // namespace benanza::nvidia
