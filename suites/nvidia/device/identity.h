#pragma once

#include <cstddef>
#include <string>

#include "suites/harness/backend.h"

namespace benanza::nvidia {

/// The conditions of results of this GPU: "device", "compute_capability", "multiprocessors",
/// "memory_bytes", "memory_bus_bits", "l2_bytes", "ecc", "sm_clock_khz" and "memory_clock_khz"
/// (nominal), "power_limit_w" and "driver" (NVML, where it is found), "cuda_driver" (CUDA version
/// the driver offers), "cuda_runtime" (version of the runtime as loaded). The device must exist.
System cuda_system(int device);

/// "9.14.0" for 91400, as cuDNN and cuBLAS count.
std::string library_version_text(std::size_t version);

/// "13.0" for 13000, CUDA's way of counting.
std::string cuda_version_text(int version);

}  // namespace benanza::nvidia
