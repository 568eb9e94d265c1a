#pragma once

#include "suites/cutensor/library.h"
#include "suites/nvidia/run/cuda_backend.h"

namespace benanza::cutensor {

/// Copies between strided views by cuTENSOR; other problems get no row.
class CutensorBackend final : public nvidia::CudaBackend<Library> {
 public:
  explicit CutensorBackend(nvidia::LazyContext& device);

  std::string_view name() const override { return "cutensor"; }
  System system() override;
  std::vector<LibraryVersion> libraries() const override;
};

}  // namespace benanza::cutensor
