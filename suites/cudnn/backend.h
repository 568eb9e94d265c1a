#pragma once

#include "suites/cudnn/primitive/library.h"
#include "suites/harness/backend.h"

namespace benanza::cudnn {

/// cuDNN's call-per-layer functions and the engines of its graph interface. `cuda` outlives the
/// backend.
class CudnnBackend : public Backend {
 public:
  explicit CudnnBackend(CudaContext& cuda) : library_(cuda) {}

  std::string_view name() const override { return "cudnn"; }
  /// The GPU's, and "cudnn": the loaded library's version, "9.14.0".
  System system() const override;
  /// None for problems that cuDNN has no call for: they get no row.
  std::vector<Layout> layouts(const Problem& problem) const override;
  std::vector<Algorithm> algorithms(const Problem& problem, Precision precision, Layout layout,
                                    AlgorithmSet set) override;
  /// Runs the call once on memory not yet written, so that a refusal shows here.
  std::unique_ptr<Primitive> create(const Variant& variant) override;
  Stopwatch& stopwatch() override { return library_.cuda().stopwatch(); }

 private:
  Library library_;
};

/// "9.14.0" for 91400, cuDNN's way of counting since version 9.
std::string version_text(std::size_t version);

}  // namespace benanza::cudnn
