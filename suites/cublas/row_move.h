#pragma once

#include <cstdint>
#include <vector>

#include "core/problem/ops/copy.h"

namespace benanza::cublas {

/// A copy of rows of contiguous elements as many small matrices in BLAS terms (column-major): each
/// has `length` rows and `count` columns, which are rows of the copy. All values are in elements.
struct RowMove {
  /// Contiguous elements: a whole row of the copy, or an equal part of one.
  std::int64_t length = 0;
  std::int64_t count = 0;
  /// From one column to the next, in the source and in the result.
  std::int64_t ld_source = 0;
  std::int64_t ld_result = 0;
  /// Where each matrix starts.
  std::vector<std::int64_t> sources{};
  std::vector<std::int64_t> results{};
};

/// The longest `length`: the arithmetic of a product with an identity matrix grows with it.
inline constexpr std::int64_t most_row_elements = 128;

/// Throws Unsupported for less than three axes, elements that are not contiguous on both sides,
/// rows that are no multiple of 8 elements, overlapping rows, and more matrices than `most`.
RowMove row_move(const Copy& shape, std::size_t most);

}  // namespace benanza::cublas
