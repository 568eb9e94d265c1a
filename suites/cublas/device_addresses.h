#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "suites/nvidia/device/device_memory.h"

namespace benanza::cublas {

/// The addresses of batches' matrices as an array in device memory: `base` plus each offset, which
/// is in elements of `size_bytes`.
nvidia::DeviceMemory device_addresses(std::byte* base, const std::vector<std::int64_t>& offsets,
                                      std::int64_t size_bytes, cudaStream_t stream);

}  // namespace benanza::cublas
