#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace benanza::harness {

/// A matrix in compressed sparse row format (CSR) with zero-based indices: the nonzeros of row r
/// are at `begins[r]` to `begins[r + 1]` of `columns` and `values`, in ascending column order.
struct CompressedRows {
  std::vector<std::int32_t> begins;
  std::vector<std::int32_t> columns;
  std::vector<float> values;
};

/// Converts the row-major matrix `dense`. Throws std::invalid_argument if it does not hold rows *
/// columns values, or if it has more than 2^31 - 1 nonzeros.
CompressedRows compressed_rows(std::span<const float> dense, std::int64_t rows,
                               std::int64_t columns);

}  // namespace benanza::harness
