#include "suites/cudnn/backend.h"

#include "suites/cudnn/solvers.h"
#include "suites/nvidia/device/identity.h"

namespace benanza::cudnn {

CudnnBackend::CudnnBackend(nvidia::LazyContext& device) : CudaBackend("cuDNN", solvers(), device) {}

System CudnnBackend::system() {
  System system = device().get().system();
  system["cudnn"] = nvidia::library_version_text(cudnnGetVersion());
  return system;
}

std::unique_ptr<harness::Primitive> CudnnBackend::create(const harness::Variant& variant) {
  auto primitive = CudaBackend::create(variant);
  primitive->run();
  return primitive;
}

}  // namespace benanza::cudnn
