#include "suites/nvidia/run/context.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "suites/harness/machine_context.h"
#include "suites/nvidia/device/check.h"
#include "suites/nvidia/device/management.h"

namespace benanza::nvidia {
namespace {

/// Left free in addition to the workspace, for the libraries' own allocations.
constexpr std::int64_t reserve_bytes = std::int64_t{512} << 20;

/// Minimum capacity of the operand cache.
constexpr std::int64_t operand_capacity = std::int64_t{2} << 30;
/// The capacity as a fraction of the device's memory: 1 / operand_part.
constexpr std::int64_t operand_part = 16;

void use_device(int device) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) {
    cudaGetLastError();
    throw NoGpu(cudaGetErrorString(status));
  }
  if (device >= count) {
    throw NoGpu("device " + std::to_string(device) + " was asked for, and there " +
                (count == 1 ? "is 1" : "are " + std::to_string(count)));
  }
  check(cudaSetDevice(device), "cudaSetDevice");
  // Creates the device's context, so that its errors are reported here.
  check(cudaFree(nullptr), "cudaFree");
}

std::int64_t device_bytes(int device) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  return static_cast<std::int64_t>(properties.totalGlobalMem);
}

}  // namespace

CudaContext::CudaContext(const CudaOptions& options)
    : options_(options), operands_(operand_capacity), profiler_(options) {
  use_device(options.device);
  system_ = cuda_system(options.device);
  stream_ = make_stream();
  stopwatch_ = std::make_unique<CudaStopwatch>(options.device, stream_.get());
  operands_ = OperandStore(std::max(operand_capacity, device_bytes(options.device) / operand_part));
}

ResultReader& CudaContext::results() {
  if (!results_) results_.emplace();
  return *results_;
}

DeviceCode& CudaContext::code() {
  // The number of multiprocessors is needed only by the stopwatch's kernels.
  if (!code_) code_.emplace(1);
  return *code_;
}

std::int64_t CudaContext::l2_bytes() const {
  int bytes = 0;
  check(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, options_.device),
        "cudaDeviceGetAttribute");
  return bytes;
}

std::shared_ptr<DeviceMemory> CudaContext::workspace(std::int64_t bytes) {
  if (!workspace_ || workspace_->size_bytes() < bytes) {
    // Free the old block first, unless it is in use: the new one may need its memory.
    workspace_.reset();
    workspace_ = std::make_shared<DeviceMemory>(bytes);
  }
  return workspace_;
}

void CudaContext::move_operands() {
  // Small blocks share pages of 2 MB, large ones have pages of their own.
  constexpr std::int64_t page_bytes = std::int64_t{2} << 20;
  constexpr std::int64_t unit_bytes = 512;
  constexpr std::int64_t most_pages = 24;
  constexpr std::size_t most_blocks = 20;
  std::uniform_int_distribution<std::int64_t> units(1, page_bytes / unit_bytes / 2);
  std::uniform_int_distribution<std::int64_t> pages(1, most_pages);
  while (ballast_.size() + 2 > most_blocks) ballast_.pop_front();
  // Without memory for ballast, the operands stay where they are.
  try {
    ballast_.emplace_back(units(random_) * unit_bytes);
    ballast_.emplace_back(pages(random_) * page_bytes);
  } catch (const OutOfMemory&) {
    ballast_.clear();
  }
}

std::int64_t CudaContext::max_workspace_bytes() const {
  const std::int64_t held = workspace_ ? workspace_->size_bytes() : 0;
  const std::int64_t available =
      std::max<std::int64_t>(held, free_device_bytes() + held - reserve_bytes);
  return std::min(available, options_.max_workspace_bytes.value_or(available));
}

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
                    harness::bytes_text(static_cast<double>(properties.totalGlobalMem)));
  }
  return lines;
}

}  // namespace benanza::nvidia
