#include "suites/nvidia/run/lazy_context.h"

#include <cuda_runtime_api.h>

#include <iostream>

#include "suites/nvidia/device/check.h"

namespace benanza::nvidia {

CudaContext& LazyContext::get() {
  if (!context_) {
    context_.emplace(options_);
    lock_.emplace(device_lock_file(device_uuid(options_.device)), std::cerr);
  }
  return *context_;
}

const std::optional<Peaks>& LazyContext::peaks() {
  CudaContext& context = get();
  if (!context.peaks() && measure_peaks_) context.set_peaks(measure_peaks_(*this));
  return context.peaks();
}

std::vector<std::string> usable_devices() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();
    return {};
  }
  std::vector<std::string> lines;
  for (int device = 0; device < count; ++device) {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
    lines.push_back(std::to_string(device) + ": " + properties.name + ", " +
                    bytes_text(static_cast<std::int64_t>(properties.totalGlobalMem)));
  }
  return lines;
}

}  // namespace benanza::nvidia
