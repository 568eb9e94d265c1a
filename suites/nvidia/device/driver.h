#pragma once

#include <cuda_runtime_api.h>

namespace benanza::nvidia {

/// A function of the driver, found without linking to it: programs start where there is no driver.
/// Null if the driver does not have it. `version`: the CUDA version of the wanted form, 12030
/// = 12.3.
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
