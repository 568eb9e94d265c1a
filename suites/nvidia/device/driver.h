#pragma once

#include <cuda_runtime_api.h>

namespace benanza::nvidia {

/// Looks up a function of the driver without linking to it, so that programs start without a
/// driver. Returns null if the driver lacks it. `version`: the CUDA version of the function's ABI,
/// 12030 = 12.3.
template <class Function>
Function driver_function(const char* name, unsigned version) {
  void* address = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  const cudaError_t status =
      cudaGetDriverEntryPointByVersion(name, &address, version, cudaEnableDefault, &found);
  if (status != cudaSuccess || found != cudaDriverEntryPointSuccess) {
    cudaGetLastError();
    return nullptr;
  }
  return reinterpret_cast<Function>(address);
}

}  // namespace benanza::nvidia
