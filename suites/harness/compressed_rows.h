#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace benanza::harness {

/// A matrix in compressed rows (CSR), counted from 0: what is not 0 in row r lies at `begins[r]` to
/// `begins[r + 1]` of `columns` and `values`, in ascending columns.
struct CompressedRows {
  std::vector<std::int32_t> begins;
  std::vector<std::int32_t> columns;
  std::vector<float> values;
};

/// `dense` is row-major. Throws std::invalid_argument if it does not hold rows * columns values, or
/// more than 2^31 - 1 that are not 0.
CompressedRows compressed_rows(std::span<const float> dense, std::int64_t rows,
                               std::int64_t columns);

}  // namespace benanza::harness
