#include "suites/cudnn/backend.h"

#include <exception>

#include "suites/cudnn/solvers.h"
#include "suites/nvidia/device/identity.h"

namespace benanza::cudnn {

CudnnBackend::CudnnBackend(nvidia::LazyContext& device) : CudaBackend("cuDNN", solvers(), device) {}

System CudnnBackend::system() {
  System system = device().get().system();
  system["cudnn"] = nvidia::library_version_text(cudnnGetVersion());
  return system;
}

std::vector<LibraryVersion> CudnnBackend::libraries() const {
  return {{"cuDNN", nvidia::library_version_text(cudnnGetVersion())}};
}

void CudnnBackend::expect_question(const harness::Variant& prototype, harness::AlgorithmSet set) {
  try {
    library().graph_plans().expect_question(prototype, set);
  } catch (const std::exception&) {
    // The question itself will report the error.
  }
}

bool CudnnBackend::is_ready(const harness::Variant& variant) {
  try {
    return library().graph_plans().is_ready(variant);
  } catch (const std::exception&) {
    // create() will report the error.
    return true;
  }
}

std::unique_ptr<harness::Primitive> CudnnBackend::create(const harness::Variant& variant) {
  auto primitive = CudaBackend::create(variant);
  primitive->run();
  return primitive;
}

}  // namespace benanza::cudnn
