#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <new>
#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>

#include "suites/harness/primitive.h"

namespace benanza::nvidia {

/// There is no GPU that this program can use.
class NoGpu : public harness::NoDevice {
 public:
  explicit NoGpu(const std::string& why) : NoDevice("no NVIDIA GPU: " + why) {}
};

/// The device is unusable for the rest of this process (illegal address, failed launch, ...): every
/// later call would fail, too. The handler saves finished results, names the variant, and ends the
/// process.
class DeviceLost : public harness::EngineLost {
 public:
  using harness::EngineLost::EngineLost;
};

/// The device has too little free memory; the process can continue.
class OutOfMemory : public std::bad_alloc {
 public:
  explicit OutOfMemory(std::string what) : what_(std::move(what)) {}
  const char* what() const noexcept override { return what_.c_str(); }

 private:
  std::string what_;
};

/// Returns true for errors after which every call of this process fails.
bool is_sticky(cudaError_t error);

/// Returns if `status` is cudaSuccess. Otherwise clears the runtime's last error and throws
/// OutOfMemory, DeviceLost or std::runtime_error with the call, CUDA's message, file and line.
void check(cudaError_t status, std::string_view call,
           std::source_location where = std::source_location::current());

/// Wait as cudaStreamSynchronize and cudaDeviceSynchronize do, but end the program if that takes
/// minutes (harness::Deadline). Throw as check().
void synchronize(cudaStream_t stream, std::source_location where = std::source_location::current());
void synchronize_device(std::source_location where = std::source_location::current());

/// Throws DeviceLost if the device has had a sticky error. The statuses of other libraries do not
/// show this: call it before reporting their failure.
void check_device(std::string_view call,
                  std::source_location where = std::source_location::current());

/// What a status of a library says.
enum class Failure { refused, out_of_memory, broken };
/// Throws Unsupported for a refusal, with the library's words; OutOfMemory; DeviceLost if the
/// device is to blame; or else std::runtime_error.
[[noreturn]] void fail(Failure failure, std::string_view call, std::string_view words,
                       std::source_location where);

/// Formats "call: words (file.cpp:12)", with the file's name only.
std::string failure_text(std::string_view call, std::string_view words, std::source_location where);

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
