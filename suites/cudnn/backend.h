#pragma once

#include "suites/cudnn/primitive/library.h"
#include "suites/nvidia/run/cuda_backend.h"

namespace benanza::cudnn {

/// cuDNN's call-per-layer functions and the engines of its graph interface.
class CudnnBackend final : public nvidia::CudaBackend<Library> {
 public:
  explicit CudnnBackend(nvidia::LazyContext& device);

  std::string_view name() const override { return "cudnn"; }
  /// The GPU's, and "cudnn": the loaded library's version, "9.14.0".
  System system() override;
  std::vector<LibraryVersion> libraries() const override;
  void expect_question(const harness::Variant& prototype, harness::AlgorithmSet set) override;
  /// Runs the call once on memory not yet written, so that a refusal shows here.
  std::unique_ptr<harness::Primitive> create(const harness::Variant& variant) override;
};

}  // namespace benanza::cudnn
