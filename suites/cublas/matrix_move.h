#pragma once

#include <cstdint>

#include "core/problem/ops/copy.h"

namespace benanza::cublas {

/// A movement as a batch of matrices in BLAS' words, which are column-major: `result` =
/// op(`source`), op the transposition or nothing. All in elements.
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

/// Throws Unsupported for more than three axes, for elements that lie apart on either side, for
/// columns that overlap, and for one axis, which is no matrix.
MatrixMove matrix_move(const Copy& shape);

}  // namespace benanza::cublas
