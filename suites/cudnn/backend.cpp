#include "suites/cudnn/backend.h"

#include <exception>
#include <utility>

#include "suites/cudnn/primitive/library.h"
#include "suites/nvidia/device/management.h"

namespace benanza::cudnn {

CudnnBackend::CudnnBackend(nvidia::LazyContext& device)
    : CudaBackend("cuDNN", way_table(), device) {}

System CudnnBackend::system() {
  System system = device().get().system();
  system["cudnn"] = nvidia::library_version_text(cudnnGetVersion());
  return system;
}

std::vector<LibraryVersion> CudnnBackend::libraries() const {
  return {{"cuDNN", nvidia::library_version_text(cudnnGetVersion())}};
}

void CudnnBackend::prefetch_algorithms(const harness::Variant& prototype,
                                       harness::AlgorithmSet set) {
  try {
    library().graph_plans().prefetch_algorithms(as_called(prototype), set);
  } catch (const std::exception&) {
    // The question itself will report the error.
  }
}

harness::Way CudnnBackend::way(const harness::Variant& variant) {
  harness::Way way = CudaBackend::way(variant);
  way.make = [make = std::move(way.make)](harness::Operands& operands) {
    auto call = make(operands);
    call->run();
    return call;
  };
  return way;
}

void CudnnBackend::prefetch(const harness::Variant& variant) {
  try {
    if (const auto begin = way(variant).prefetch) begin();
  } catch (const std::exception&) {
    // The way's make() will report the error.
  }
}

bool CudnnBackend::is_ready(const harness::Variant& variant) {
  try {
    return library().graph_plans().is_ready(as_called(variant));
  } catch (const std::exception&) {
    // The way's make() will report the error.
    return true;
  }
}

}  // namespace benanza::cudnn
