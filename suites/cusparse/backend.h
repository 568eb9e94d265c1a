#pragma once

#include <cusparse.h>

#include <source_location>
#include <string>
#include <string_view>

#include "suites/harness/way_table.h"
#include "suites/nvidia/device/handles.h"
#include "suites/nvidia/run/cuda_backend.h"

namespace benanza::cusparse {

nvidia::Handle<cusparseHandle_t, &cusparseDestroy> open_handle(nvidia::CudaContext& context);
/// cuSPARSE on one GPU.
using Library = nvidia::OneHandleLibrary<cusparseHandle_t, &open_handle, &cusparseDestroy>;

/// The version of the loaded library, "12.6.3"; needs no device.
std::string version();

/// Returns on success. Otherwise throws Unsupported, with the library's message, OutOfMemory,
/// DeviceLost if the device is to blame, or else std::runtime_error.
void check(cusparseStatus_t status, std::string_view call,
           std::source_location where = std::source_location::current());

using WayTable = harness::WayTable<Library>;

/// The ways of all files in ops/: X.cpp defines register_X(WayTable&).
WayTable way_table();

/// Products with sparse matrices by cuSPARSE; other problems get no row.
class CusparseBackend final : public nvidia::CudaBackend<Library> {
 public:
  explicit CusparseBackend(nvidia::LazyContext& device);

  std::string_view name() const override { return "cusparse"; }
  System system() override;
  std::vector<LibraryVersion> libraries() const override;
};

}  // namespace benanza::cusparse
