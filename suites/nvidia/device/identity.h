#pragma once

#include <cstddef>
#include <string>

#include "suites/harness/backend.h"

namespace benanza::nvidia {

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
