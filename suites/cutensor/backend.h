#pragma once

#include <cutensor.h>

#include <source_location>
#include <string>
#include <string_view>

#include "suites/harness/way_table.h"
#include "suites/nvidia/device/handles.h"
#include "suites/nvidia/run/cuda_backend.h"

namespace benanza::cutensor {

nvidia::Handle<cutensorHandle_t, &cutensorDestroy> open_handle(nvidia::CudaContext& context);
/// cuTENSOR on one GPU.
using Library = nvidia::OneHandleLibrary<cutensorHandle_t, &open_handle, &cutensorDestroy>;

/// The version of the loaded library, "2.3.1"; needs no device.
std::string version();

/// Returns on success. Otherwise throws Unsupported, with the library's message, OutOfMemory,
/// DeviceLost if the device is to blame, or else std::runtime_error.
void check(cutensorStatus_t status, std::string_view call,
           std::source_location where = std::source_location::current());

using WayTable = harness::WayTable<Library>;

/// The ways of all files in ops/: X.cpp defines register_X(WayTable&).
WayTable way_table();

/// Copies between strided views by cuTENSOR; other problems get no row.
class CutensorBackend final : public nvidia::CudaBackend<Library> {
 public:
  explicit CutensorBackend(nvidia::LazyContext& device);

  std::string_view name() const override { return "cutensor"; }
  System system() override;
  std::vector<LibraryVersion> libraries() const override;
};

}  // namespace benanza::cutensor
