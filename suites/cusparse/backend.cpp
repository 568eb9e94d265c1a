#include "suites/cusparse/backend.h"

#include "suites/cusparse/ways.h"

namespace benanza::cusparse {

CusparseBackend::CusparseBackend(nvidia::LazyContext& device)
    : CudaBackend("cuSPARSE", way_table(), device) {}

System CusparseBackend::system() {
  System system = device().get().system();
  system["cusparse"] = version();
  return system;
}

std::vector<LibraryVersion> CusparseBackend::libraries() const { return {{"cuSPARSE", version()}}; }

}  // namespace benanza::cusparse
