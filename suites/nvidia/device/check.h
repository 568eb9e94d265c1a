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

/// No GPU that this program can use.
class NoGpu : public harness::NoDevice {
 public:
  explicit NoGpu(const std::string& why) : NoDevice("no NVIDIA GPU: " + why) {}
};

/// The device cannot be used any more by this process (illegal address, failed launch, ...): every
/// later call would fail too. Whoever catches it saves what is finished, names the variant, and
/// ends the process.
class DeviceLost : public harness::EngineLost {
 public:
  using harness::EngineLost::EngineLost;
};

/// The device's memory does not hold what was asked for; the process goes on.
class OutOfMemory : public std::bad_alloc {
 public:
  explicit OutOfMemory(std::string what) : what_(std::move(what)) {}
  const char* what() const noexcept override { return what_.c_str(); }

 private:
  std::string what_;
};

/// True for the errors after which every call of this process fails.
bool is_sticky(cudaError_t error);

/// Returns if `status` is cudaSuccess. Otherwise clears the runtime's last error and throws
/// OutOfMemory, DeviceLost or std::runtime_error: what was called, the library's words, file and
/// line.
void check(cudaError_t status, std::string_view call,
           std::source_location where = std::source_location::current());

/// Waits for the stream as cudaStreamSynchronize does, and for the device as cudaDeviceSynchronize;
/// a kernel that takes minutes ends the program (harness::Deadline). Throw as check().
void synchronize(cudaStream_t stream, std::source_location where = std::source_location::current());
void synchronize_device(std::source_location where = std::source_location::current());

/// Throws DeviceLost if the device has met a sticky error. For statuses of other libraries, which
/// do not tell: call it before reporting their failure.
void check_device(std::string_view call,
                  std::source_location where = std::source_location::current());

/// "call: words (file.cpp:12)"; the file without its folders.
std::string failure_text(std::string_view call, std::string_view words, std::source_location where);

/// "3.1 GiB", "512 KiB", "17 B".
std::string bytes_text(std::int64_t bytes);

}  // namespace benanza::nvidia
