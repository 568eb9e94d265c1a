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
  void expect_question(const harness::Variant& prototype, harness::AlgorithmSet set) override;
  bool is_ready(const harness::Variant& variant) override;
  /// Runs the call once, on uninitialized memory, so that a refusal is thrown here.
  std::unique_ptr<harness::Primitive> create(const harness::Variant& variant) override;
};

}  // namespace benanza::cudnn
