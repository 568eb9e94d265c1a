#pragma once

#include <nccl.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/results_file/origin.h"
#include "suites/nvidia/device/device_lock.h"
#include "suites/nvidia/device/gpu_observer.h"
#include "suites/nvidia/device/handles.h"
#include "suites/nvidia/device/management.h"
#include "suites/nvidia/run/device_code.h"

namespace benanza::nccl {

/// How many GPUs this process may use; 0 where there is no driver.
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
  /// What empties the caches of a GPU when it is written.
  std::int64_t flush_bytes(int rank) const { return at(rank).flush_bytes; }

  /// Makes a rank's GPU the one that CUDA's calls mean.
  void use(int rank) const;
  void synchronize() const;
  /// Of the first `ranks` GPUs, one for each; made by the first call.
  const std::vector<Communicator>& communicators(int ranks);

  /// Watches the first GPU; null where the driver's management library is not there.
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

/// "2.28.9", as loaded.
std::string library_version();

/// "NCCL_ALGO=Ring NCCL_NVLS_ENABLE=0": of the library's variables, those that are set, in order;
/// "none". They change what is measured.
std::string library_environment(char** environment);

}  // namespace benanza::nccl
