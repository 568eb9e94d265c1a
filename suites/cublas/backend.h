#pragma once

#include "suites/cublas/library.h"
#include "suites/nvidia/run/cuda_backend.h"

namespace benanza::cublas {

/// Matrix products by cuBLAS and cuBLASLt. It has no other problem, and offers none a layout.
class CublasBackend final : public nvidia::CudaBackend<Library> {
 public:
  explicit CublasBackend(nvidia::LazyContext& device);

  std::string_view name() const override { return "cublas"; }
  System system() override;
  std::vector<LibraryVersion> libraries() const override;
};

}  // namespace benanza::cublas
