#include "suites/cublas/backend.h"

#include "suites/cublas/solvers.h"
#include "suites/nvidia/device/identity.h"

namespace benanza::cublas {

CublasBackend::CublasBackend(nvidia::LazyContext& device)
    : CudaBackend("cuBLAS", solvers(), device) {}

System CublasBackend::system() {
  System system = device().get().system();
  system["cublas"] = library().version();
  system["cublaslt"] = nvidia::library_version_text(cublasLtGetVersion());
  return system;
}

}  // namespace benanza::cublas
