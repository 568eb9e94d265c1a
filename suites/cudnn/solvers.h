#pragma once

#include <memory>
#include <vector>

#include "core/problem/problem.h"
#include "suites/cudnn/primitive/library.h"
#include "suites/nvidia/run/primitive.h"

namespace benanza::cudnn {

/// One problem as cuDNN solves it. An operator is one file that implements this and one line below.
class Solver {
 public:
  virtual ~Solver() = default;
  virtual std::vector<Layout> layouts() const = 0;
  /// At least one, the library's first choice first. The prototype's algorithm is empty.
  virtual std::vector<Algorithm> algorithms(Library& library, const Variant& prototype) const = 0;
  /// Throws Unsupported if the library refuses the variant.
  virtual std::unique_ptr<CudaPrimitive> create(Library& library, const Variant& variant) const = 0;
};

std::unique_ptr<Solver> solver(const Activation& shape);
std::unique_ptr<Solver> solver(const Attention& shape);
std::unique_ptr<Solver> solver(const BatchNormalization& shape);
std::unique_ptr<Solver> solver(const Binary& shape);
std::unique_ptr<Solver> solver(const Concat& shape);
std::unique_ptr<Solver> solver(const Convolution& shape);
std::unique_ptr<Solver> solver(const Copy& shape);
std::unique_ptr<Solver> solver(const Deconvolution& shape);
std::unique_ptr<Solver> solver(const Dropout& shape);
std::unique_ptr<Solver> solver(const InstanceNormalization& shape);
std::unique_ptr<Solver> solver(const LayerNormalization& shape);
std::unique_ptr<Solver> solver(const Lrn& shape);
std::unique_ptr<Solver> solver(const Pooling& shape);
std::unique_ptr<Solver> solver(const Quantization& shape);
std::unique_ptr<Solver> solver(const Recurrent& shape);
std::unique_ptr<Solver> solver(const Reduction& shape);
std::unique_ptr<Solver> solver(const Resampling& shape);
std::unique_ptr<Solver> solver(const Softmax& shape);

/// Shapes without a line above have no call in cuDNN (matrix products belong to cuBLAS): null.
template <class Shape>
std::unique_ptr<Solver> solver(const Shape&) {
  return nullptr;
}

}  // namespace benanza::cudnn
