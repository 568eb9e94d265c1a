#pragma once

#include "suites/cusparse/library.h"
#include "suites/nvidia/run/cuda_backend.h"

namespace benanza::cusparse {

/// Products with sparse matrices by cuSPARSE; other problems get no row.
class CusparseBackend final : public nvidia::CudaBackend<Library> {
 public:
  explicit CusparseBackend(nvidia::LazyContext& device);

  std::string_view name() const override { return "cusparse"; }
  System system() override;
  std::vector<LibraryVersion> libraries() const override;
};

}  // namespace benanza::cusparse
