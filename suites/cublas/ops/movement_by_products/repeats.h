#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/problem/ops/copy.h"

namespace benanza::cublas {

/// Which factor is the matrix of zeros and ones: the first one repeats rows, the second one columns
/// (in row-major terms: rows x data, data x columns).
enum class Repeats { rows, columns };

/// A copy that repeats elements (steps of 0), as products of the data with one matrix that has a
/// one in every row, or column, of the result. Row-major: result, m x n = (m x k) x (k x n), of
/// `batches` matrices. All values are in elements.
struct RepeatProduct {
  Repeats side = Repeats::columns;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t batches = 1;
  /// From one matrix of the data to the next; 0 if all are the same.
  std::int64_t stride_data = 0;
  /// The matrix of zeros and ones, row-major: m x k for rows, k x n for columns.
  std::vector<float> ones;
};

/// Throws Unsupported if nothing repeats, if either side has gaps or another order, and for
/// matrices for which the product would be compute-bound.
RepeatProduct repeat_product(const Copy& shape, Repeats side);

}  // namespace benanza::cublas
