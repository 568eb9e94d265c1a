#pragma once

#include <cutensor.h>

#include <source_location>
#include <string>
#include <string_view>

#include "suites/harness/solver.h"
#include "suites/nvidia/device/handles.h"
#include "suites/nvidia/run/lazy_context.h"

namespace benanza::cutensor {

/// cuTENSOR on one GPU, opened on first use. Must outlive every primitive made with it. Functions
/// that open the GPU throw NoGpu if there is none.
class Library {
 public:
  /// `cuda` must outlive the library.
  explicit Library(nvidia::LazyContext& cuda) : cuda_(cuda) {}

  nvidia::CudaContext& cuda() { return cuda_.get(); }
  cutensorHandle_t handle();

 private:
  nvidia::LazyContext& cuda_;
  nvidia::Handle<cutensorHandle_t, &cutensorDestroy> handle_;
};

/// The version of the loaded library, "2.3.1"; needs no device.
std::string version();

/// Returns on success. Otherwise throws Unsupported, with the library's message, OutOfMemory,
/// DeviceLost if the device is to blame, or else std::runtime_error.
void check(cutensorStatus_t status, std::string_view call,
           std::source_location where = std::source_location::current());

}  // namespace benanza::cutensor
