#pragma once

#include <nccl.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "core/results_file/origin.h"
#include "suites/nvidia/device/device_lock.h"
#include "suites/nvidia/device/gpu_observer.h"
#include "suites/nvidia/device/handles.h"
#include "suites/nvidia/device/management.h"
#include "suites/nvidia/run/device_code.h"

namespace benanza::nccl {

/// Returns if `status` is ncclSuccess. Otherwise throws DeviceLost if a GPU has a sticky error,
/// else std::runtime_error, with the call, the library's message, file and line.
void check(ncclResult_t status, std::string_view call,
           std::source_location where = std::source_location::current());

/// The number of GPUs that this process may use; 0 if there is no driver.
int visible_gpus();

using Communicator = nvidia::Handle<ncclComm_t, &ncclCommDestroy>;

/// All GPUs of this process: rank r of every collective is GPU r.
class Gpus {
 public:
  /// Opens them, and waits until no other suite measures on them. Throws NoGpu.
  Gpus();

  int count() const { return static_cast<int>(gpus_.size()); }
  cudaStream_t stream(int rank) const { return at(rank).stream.get(); }
  nvidia::DeviceCode& code(int rank) const { return *at(rank).code; }
  /// The bytes to write to flush a GPU's caches.
  std::int64_t flush_bytes(int rank) const { return at(rank).flush_bytes; }

  /// Makes a rank's GPU the current CUDA device.
  void use(int rank) const;
  void synchronize() const;
  /// One communicator for each of the first `ranks` GPUs, created on the first call.
  const std::vector<Communicator>& communicators(int ranks);

  /// Observes the first GPU; null if the driver's management library is missing.
  nvidia::GpuObserver* observer() { return observer_ ? &*observer_ : nullptr; }
  System system() const;

 private:
  struct Gpu {
    nvidia::Stream stream;
    std::unique_ptr<nvidia::DeviceCode> code;
    std::unique_ptr<nvidia::DeviceLock> lock;
    std::int64_t flush_bytes = 0;
  };
  const Gpu& at(int rank) const { return gpus_.at(static_cast<std::size_t>(rank)); }

  std::vector<Gpu> gpus_;
  std::map<int, std::vector<Communicator>> communicators_;
  std::unique_ptr<nvidia::Management> management_;
  std::optional<nvidia::GpuObserver> observer_;
};

/// The version of the loaded library, "2.28.9".
std::string library_version();

/// "NCCL_ALGO=Ring NCCL_NVLS_ENABLE=0": those of the library's variables that are set, sorted, or
/// "none". They affect the measurements.
std::string library_environment(char** environment);

}  // namespace benanza::nccl
