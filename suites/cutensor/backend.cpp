#include "suites/cutensor/backend.h"

#include "suites/nvidia/device/check.h"

namespace benanza::cutensor {

/// The library takes the device that is current.
nvidia::Handle<cutensorHandle_t, &cutensorDestroy> open_handle(nvidia::CudaContext&) {
  cutensorHandle_t handle = nullptr;
  check(cutensorCreate(&handle), "cutensorCreate");
  return nvidia::Handle<cutensorHandle_t, &cutensorDestroy>(handle);
}

std::string version() {
  const std::size_t number = cutensorGetVersion();
  return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." +
         std::to_string(number % 100);
}

void check(cutensorStatus_t status, std::string_view call, std::source_location where) {
  if (status == CUTENSOR_STATUS_SUCCESS) return;
  auto failure = nvidia::Failure::broken;
  if (status == CUTENSOR_STATUS_NOT_SUPPORTED || status == CUTENSOR_STATUS_ARCH_MISMATCH) {
    failure = nvidia::Failure::refused;
  } else if (status == CUTENSOR_STATUS_ALLOC_FAILED) {
    failure = nvidia::Failure::out_of_memory;
  }
  nvidia::fail(failure, call, cutensorGetErrorString(status), where);
}

CutensorBackend::CutensorBackend(nvidia::LazyContext& device)
    : CudaBackend("cuTENSOR", way_table(), device) {}

System CutensorBackend::system() {
  System system = device().get().system();
  system["cutensor"] = version();
  return system;
}

std::vector<LibraryVersion> CutensorBackend::libraries() const { return {{"cuTENSOR", version()}}; }

}  // namespace benanza::cutensor
