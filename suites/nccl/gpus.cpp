#include "suites/nccl/gpus.h"

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <set>
#include <stdexcept>

#include "core/base/text.h"
#include "suites/nvidia/device/check.h"

namespace benanza::nccl {

void check(ncclResult_t status, std::string_view call, std::source_location where) {
  if (status == ncclSuccess) return;
  nvidia::check_device(call, where);
  throw std::runtime_error(nvidia::failure_text(call, ncclGetErrorString(status), where));
}

namespace {

int attribute(cudaDeviceAttr name, int device) {
  int value = 0;
  nvidia::check(cudaDeviceGetAttribute(&value, name, device), "cudaDeviceGetAttribute");
  return value;
}

/// True if another process holds the lock and takes turns with this one.
bool is_locked_by_others() {
  const char* const lock = std::getenv("BENANZA_GPU_LOCK");
  return lock != nullptr && std::string_view(lock) == "none";
}

}  // namespace

int visible_gpus() {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
  cudaGetLastError();
  return 0;
}

Gpus::Gpus() {
  int count = 0;
  if (const cudaError_t status = cudaGetDeviceCount(&count); status != cudaSuccess) {
    cudaGetLastError();
    throw nvidia::NoGpu(cudaGetErrorString(status));
  }
  for (int device = 0; device < count; ++device) {
    use(device);
    nvidia::check(cudaFree(nullptr), "cudaFree");
    Gpu gpu;
    if (!is_locked_by_others()) {
      gpu.lock = std::make_unique<nvidia::DeviceLock>(
          nvidia::device_lock_file(nvidia::device_uuid(device)), std::cerr);
    }
    gpu.stream = nvidia::make_stream();
    gpu.code =
        std::make_unique<nvidia::DeviceCode>(attribute(cudaDevAttrMultiProcessorCount, device));
    gpu.flush_bytes = 2 * std::int64_t{attribute(cudaDevAttrL2CacheSize, device)};
    gpus_.push_back(std::move(gpu));
  }
  management_ = nvidia::open_management(0);
  if (management_) observer_.emplace(*management_, static_cast<unsigned>(::getpid()));
}

void Gpus::use(int rank) const { nvidia::check(cudaSetDevice(rank), "cudaSetDevice"); }

void Gpus::synchronize() const {
  for (int rank = 0; rank < count(); ++rank) {
    nvidia::synchronize(stream(rank));
  }
}

const std::vector<Communicator>& Gpus::communicators(int ranks) {
  std::vector<Communicator>& known = communicators_[ranks];
  if (known.empty()) {
    std::vector<ncclComm_t> opened(static_cast<std::size_t>(ranks));
    check(ncclCommInitAll(opened.data(), ranks, nullptr), "ncclCommInitAll");
    for (const ncclComm_t one : opened) known.emplace_back(one);
  }
  return known;
}

System Gpus::system() const {
  System system = nvidia::cuda_system(0);
  system["gpus"] = std::to_string(count());
  system["nccl_version"] = library_version();
  system["nccl_environment"] = library_environment(environ);
  return system;
}

std::string library_version() {
  int version = 0;
  check(ncclGetVersion(&version), "ncclGetVersion");
  return nvidia::library_version_text(static_cast<std::size_t>(version));
}

std::string library_environment(char** environment) {
  std::set<std::string> set;
  for (char** entry = environment; *entry != nullptr; ++entry) {
    if (std::string_view(*entry).starts_with("NCCL_")) set.insert(*entry);
  }
  return set.empty() ? "none" : text::join(set, " ");
}

}  // namespace benanza::nccl
