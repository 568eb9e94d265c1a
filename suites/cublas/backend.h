#pragma once

#include "suites/cublas/library.h"
#include "suites/harness/backend.h"

namespace benanza::cublas {

/// Matrix products by cuBLAS and cuBLASLt. It has no other problem, and offers none a layout.
class CublasBackend : public Backend {
 public:
  /// `context` outlives the backend.
  explicit CublasBackend(CudaContext& context);

  std::string_view name() const override { return "cublas"; }
  System system() const override;
  std::vector<Layout> layouts(const Problem& problem) const override;
  std::vector<Algorithm> algorithms(const Problem& problem, Precision precision, Layout layout,
                                    AlgorithmSet set) override;
  std::unique_ptr<Primitive> create(const Variant& variant) override;
  Stopwatch& stopwatch() override { return library_.cuda().stopwatch(); }

 private:
  Library library_;
};

}  // namespace benanza::cublas
