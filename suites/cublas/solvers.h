#pragma once

#include <memory>
#include <vector>

#include "suites/cublas/library.h"
#include "suites/harness/backend.h"
#include "suites/nvidia/run/primitive.h"

namespace benanza::cublas {

/// One family of calls for matrix products. A new one is a file that defines such an entry, and a
/// line in solvers().
struct Solver {
  /// Algorithms of this family are `prefix` or begin with `prefix` and a dot.
  std::string_view prefix;
  /// The library's first choice first. Throws Unsupported, in the library's words, if it refuses.
  std::vector<Algorithm> (*algorithms)(Library&, const Problem&, Precision);
  std::unique_ptr<CudaPrimitive> (*create)(Library&, const Variant&);
};

/// cublasGemmEx and its batched forms: the library chooses.
extern const Solver gemm_ex;
/// cublasLt, algorithm by algorithm: the first of its heuristic list.
extern const Solver lt;
/// cublas<t>gemv, where one operand is a vector.
extern const Solver gemv;

}  // namespace benanza::cublas
