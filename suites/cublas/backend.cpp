#include "suites/cublas/backend.h"

#include "suites/cublas/ways.h"
#include "suites/nvidia/device/identity.h"

namespace benanza::cublas {

CublasBackend::CublasBackend(nvidia::LazyContext& device)
    : CudaBackend("cuBLAS", way_table(), device) {}

System CublasBackend::system() {
  System system = device().get().system();
  system["cublas"] = library().version();
  system["cublaslt"] = nvidia::library_version_text(cublasLtGetVersion());
  return system;
}

std::vector<LibraryVersion> CublasBackend::libraries() const {
  // cublasGetVersion() requires a handle, and therefore a device.
  std::string version;
  for (const libraryPropertyType part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) {
    int number = 0;
    check(cublasGetProperty(part, &number), "cublasGetProperty");
    version += (version.empty() ? "" : ".") + std::to_string(number);
  }
  return {{"cuBLAS", version}, {"cuBLASLt", nvidia::library_version_text(cublasLtGetVersion())}};
}

}  // namespace benanza::cublas
