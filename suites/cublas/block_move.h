#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/problem/ops/copy.h"

namespace benanza::cublas {

/// A copy as many matrices in BLAS terms (column-major) whose short side is at most
/// most_block_elements, so that the product of each with an identity matrix of that side takes
/// little arithmetic. All values are in elements.
struct BlockMove {
  /// Rows of each source matrix: contiguous elements.
  std::int64_t length = 0;
  /// Columns of each source matrix.
  std::int64_t count = 0;
  /// From one column to the next, in the source and in the result.
  std::int64_t ld_source = 0;
  std::int64_t ld_result = 0;
  /// The result has `count` rows and `length` columns.
  bool transposed = false;
  /// Where each matrix starts.
  std::vector<std::int64_t> sources{};
  std::vector<std::int64_t> results{};
};

inline constexpr std::int64_t most_block_elements = 128;

/// Throws Unsupported for a single axis; for a matrix that is not transposed, which needs no
/// product; for elements that are contiguous on neither side or on one only; if the contiguous
/// elements of the source are no multiple of 8; for overlapping columns; and for more matrices than
/// `most`.
BlockMove block_move(const Copy& shape, std::size_t most);

}  // namespace benanza::cublas
