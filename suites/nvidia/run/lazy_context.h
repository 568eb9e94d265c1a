#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "suites/nvidia/device/device_lock.h"
#include "suites/nvidia/device/gpu_energy.h"
#include "suites/nvidia/device/gpu_observer.h"
#include "suites/nvidia/run/context.h"

namespace benanza::nvidia {

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
