#include "suites/nvidia/device/check.h"

#include "suites/harness/deadline.h"

namespace benanza::nvidia {
namespace {

/// What is enqueued at a time takes a few seconds at most.
constexpr unsigned longest_wait_seconds = 120;

}  // namespace

bool is_sticky(cudaError_t error) {
  switch (error) {
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorContained:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorContextIsDestroyed:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorTensorMemoryLeak:
    case cudaErrorExternalDevice:
    case cudaErrorUnknown:
      return true;
    default:
      return false;
  }
}

std::string failure_text(std::string_view call, std::string_view words,
                         std::source_location where) {
  std::string_view file = where.file_name();
  if (const auto slash = file.rfind('/'); slash != file.npos) file.remove_prefix(slash + 1);
  return std::string(call) + ": " + std::string(words) + " (" + std::string(file) + ":" +
         std::to_string(where.line()) + ")";
}

void check(cudaError_t status, std::string_view call, std::source_location where) {
  if (status == cudaSuccess) return;
  const std::string words =
      std::string(cudaGetErrorName(status)) + ", " + cudaGetErrorString(status);
  const std::string text = failure_text(call, words, where);
  cudaGetLastError();
  if (is_sticky(status)) throw DeviceLost(text);
  if (status == cudaErrorMemoryAllocation) throw OutOfMemory(text);
  throw std::runtime_error(text);
}

void synchronize(cudaStream_t stream, std::source_location where) {
  const harness::Deadline deadline(longest_wait_seconds);
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize", where);
}

void synchronize_device(std::source_location where) {
  const harness::Deadline deadline(longest_wait_seconds);
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize", where);
}

void check_device(std::string_view call, std::source_location where) {
  const harness::Deadline deadline(longest_wait_seconds);
  const cudaError_t status = cudaDeviceSynchronize();
  if (is_sticky(status)) check(status, call, where);
  cudaGetLastError();
}

void fail(Failure failure, std::string_view call, std::string_view words,
          std::source_location where) {
  if (failure == Failure::refused) {
    throw harness::Unsupported(std::string(call).append(": ").append(words));
  }
  const std::string text = failure_text(call, words, where);
  if (failure == Failure::out_of_memory) throw OutOfMemory(text);
  check_device(call, where);
  throw std::runtime_error(text);
}

}  // namespace benanza::nvidia
