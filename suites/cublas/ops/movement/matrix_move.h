#pragma once

#include <cstdint>

#include "core/problem/ops/copy.h"

namespace benanza::cublas {

/// A copy as a batch of matrices in BLAS terms, which are column-major: `result` = op(`source`),
/// where op transposes or does nothing. All values are in elements.
struct MatrixMove {
  struct Matrix {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    /// From one column to the next.
    std::int64_t ld = 0;
    /// From one matrix to the next.
    std::int64_t stride = 0;
    bool operator==(const Matrix&) const = default;
  };
  Matrix source;
  Matrix result;
  bool transposed = false;
  std::int64_t batches = 1;
};

/// Throws Unsupported for more than three axes, for a single axis, for elements that are not
/// contiguous on either side, and for overlapping columns.
MatrixMove matrix_move(const Copy& shape);

}  // namespace benanza::cublas
