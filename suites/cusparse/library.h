#pragma once

#include <cusparse.h>

#include <source_location>
#include <string>
#include <string_view>

#include "suites/harness/solver.h"
#include "suites/nvidia/device/handles.h"
#include "suites/nvidia/run/lazy_context.h"

namespace benanza::cusparse {

/// cuSPARSE on one GPU, opened when it is first used. Outlives every primitive made with it. What
/// opens the GPU throws NoGpu where there is none.
class Library {
 public:
  /// `cuda` outlives the library.
  explicit Library(nvidia::LazyContext& cuda) : cuda_(cuda) {}

  nvidia::CudaContext& cuda() { return cuda_.get(); }
  cusparseHandle_t handle();

 private:
  nvidia::LazyContext& cuda_;
  nvidia::Handle<cusparseHandle_t, &cusparseDestroy> handle_;
};

/// Of the loaded library, "12.6.3"; needs no device.
std::string version();

/// Returns on success. Otherwise throws: what the library does not support is Unsupported, in its
/// own words; then OutOfMemory, DeviceLost if the device is to blame, else std::runtime_error.
void check(cusparseStatus_t status, std::string_view call,
           std::source_location where = std::source_location::current());

}  // namespace benanza::cusparse
