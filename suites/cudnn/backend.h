#pragma once

#include "suites/cudnn/primitive/library.h"
#include "suites/nvidia/run/cuda_backend.h"

namespace benanza::cudnn {

/// The backend of cuDNN's call-per-layer functions and graph engines.
class CudnnBackend final : public nvidia::CudaBackend<Library> {
 public:
  explicit CudnnBackend(nvidia::LazyContext& device);

  std::string_view name() const override { return "cudnn"; }
  /// The GPU's entries and "cudnn", the version of the loaded library ("9.14.0").
  System system() override;
  std::vector<LibraryVersion> libraries() const override;
  void prefetch_algorithms(const harness::Variant& prototype, harness::AlgorithmSet set) override;
  /// Its make() runs the call once, on uninitialized memory, so that a refusal is thrown there.
  harness::Way way(const harness::Variant& variant) override;
  void prefetch(const harness::Variant& variant) override;
  bool is_ready(const harness::Variant& variant) override;
};

}  // namespace benanza::cudnn
