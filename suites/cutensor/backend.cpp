#include "suites/cutensor/backend.h"

#include "suites/cutensor/ways.h"

namespace benanza::cutensor {

CutensorBackend::CutensorBackend(nvidia::LazyContext& device)
    : CudaBackend("cuTENSOR", way_table(), device) {}

System CutensorBackend::system() {
  System system = device().get().system();
  system["cutensor"] = version();
  return system;
}

std::vector<LibraryVersion> CutensorBackend::libraries() const { return {{"cuTENSOR", version()}}; }

}  // namespace benanza::cutensor
