#include "suites/cusparse/backend.h"

#include "suites/cusparse/solvers.h"

namespace benanza::cusparse {

CusparseBackend::CusparseBackend(nvidia::LazyContext& device)
    : CudaBackend("cuSPARSE", solvers(), device) {}

System CusparseBackend::system() {
  System system = device().get().system();
  system["cusparse"] = version();
  return system;
}

std::vector<LibraryVersion> CusparseBackend::libraries() const { return {{"cuSPARSE", version()}}; }

}  // namespace benanza::cusparse
