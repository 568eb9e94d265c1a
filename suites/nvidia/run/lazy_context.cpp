#include "suites/nvidia/run/lazy_context.h"

#include <cuda_runtime_api.h>
#include <unistd.h>

#include <iostream>

#include "suites/nvidia/device/check.h"

namespace benanza::nvidia {
namespace {

/// The system fields that identify GPUs with the same peaks.
const std::vector<std::string> identity{"device"};

}  // namespace

CudaContext& LazyContext::get() {
  if (!context_) {
    context_.emplace(options_);
    if (options_.lock) lock_.emplace(device_lock_file(device_uuid(options_.device)), std::cerr);
    management_ = open_management(options_.device);
    if (management_) observer_.emplace(*management_, static_cast<unsigned>(::getpid()));
    if (management_ && management_->energy_joules()) meter_.emplace(*management_);
  }
  return *context_;
}

GpuObserver* LazyContext::observer() {
  get();
  return observer_ ? &*observer_ : nullptr;
}

GpuEnergyMeter* LazyContext::energy_meter() {
  get();
  return meter_ ? &*meter_ : nullptr;
}

const std::optional<harness::Peaks>& LazyContext::peaks() {
  CudaContext& context = get();
  if (context.peaks() || options_.peaks == "none") return context.peaks();
  if (options_.peaks != "measure") {
    context.set_peaks(
        harness::read_peaks(options_.peaks, context.system(), identity, context.l2_bytes()));
  } else if (measure_peaks_) {
    context.set_peaks(measure_peaks_(*this));
  }
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
