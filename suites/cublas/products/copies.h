#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/problem/ops/copy.h"

// What cuBLAS can be asked to do for a copy.
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

/// Whose contiguous elements are divided into blocks.
enum class Side { source, result };

/// A copy as many matrices in BLAS terms (column-major), so that each is the product of an identity
/// matrix and the source's, which may be transposed. All values are in elements.
struct BlockMove {
  /// The side of the identity matrix: rows of each source matrix, or of each result on
  /// Side::result.
  std::int64_t length = 0;
  /// Columns of the same matrix.
  std::int64_t count = 0;
  /// From one column to the next, in the source and in the result.
  std::int64_t ld_source = 0;
  std::int64_t ld_result = 0;
  /// The other matrix has `count` rows and `length` columns.
  bool transposed = false;
  Side side = Side::source;
  /// Where each matrix starts.
  std::vector<std::int64_t> sources{};
  std::vector<std::int64_t> results{};
};

inline constexpr std::int64_t most_block_elements = 128;

/// The lengths worth trying: 128, 64 and 32 if they divide the contiguous elements of the side; if
/// none does, the longest multiple of 8 that does. Empty for the result of a copy that transposes
/// nothing, which has the blocks of its source. Throws Unsupported as block_move() does.
std::vector<std::int64_t> block_lengths(const Copy& shape, Side side);

/// `length` divides the contiguous elements of the side. Throws Unsupported for a single axis; for
/// a matrix that is not transposed, which needs no product; if elements are not contiguous on
/// either side; if the contiguous elements of the side are no multiple of 8; for overlapping
/// columns; and for more matrices than `most`.
BlockMove block_move(const Copy& shape, Side side, std::int64_t length, std::size_t most);

/// The same in units of `unit_bytes`, where an element has `element_bytes`. Throws Unsupported if a
/// matrix does not start or end with such a unit, or if it is transposed.
BlockMove in_units(BlockMove move, std::int64_t element_bytes, std::int64_t unit_bytes);

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
