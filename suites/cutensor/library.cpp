#include "suites/cutensor/library.h"

#include <stdexcept>

#include "suites/nvidia/device/check.h"

namespace benanza::cutensor {

cutensorHandle_t Library::handle() {
  if (handle_) return handle_.get();
  cuda();  // The library takes the device that is current.
  cutensorHandle_t handle = nullptr;
  check(cutensorCreate(&handle), "cutensorCreate");
  handle_.reset(handle);
  return handle;
}

std::string version() {
  const std::size_t number = cutensorGetVersion();
  return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." +
         std::to_string(number % 100);
}

void check(cutensorStatus_t status, std::string_view call, std::source_location where) {
  if (status == CUTENSOR_STATUS_SUCCESS) return;
  const std::string words = cutensorGetErrorString(status);
  if (status == CUTENSOR_STATUS_NOT_SUPPORTED || status == CUTENSOR_STATUS_ARCH_MISMATCH) {
    throw harness::Unsupported(std::string(call) + ": " + words);
  }
  const std::string text = nvidia::failure_text(call, words, where);
  if (status == CUTENSOR_STATUS_ALLOC_FAILED) throw nvidia::OutOfMemory(text);
  nvidia::check_device(call, where);
  throw std::runtime_error(text);
}

}  // namespace benanza::cutensor
