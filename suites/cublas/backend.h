#pragma once

#include "suites/cublas/library.h"
#include "suites/nvidia/run/cuda_backend.h"

namespace benanza::cublas {

/// Matrix products by cuBLAS and cuBLASLt; nothing else, and no choice of layouts.
class CublasBackend final : public nvidia::CudaBackend<Library> {
 public:
  explicit CublasBackend(nvidia::LazyContext& device);

  std::string_view name() const override { return "cublas"; }
  System system() override;
  std::vector<LibraryVersion> libraries() const override;
};

}  // namespace benanza::cublas
