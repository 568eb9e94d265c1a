#pragma once

#include <cstddef>
#include <cstdint>

namespace benanza::harness {

/// Rows that indices choose, in memory of one kind: row i of block o of `target`, which has `count`
/// rows, is row indices[i] of block o of `source`, which has `extent`. A negative index counts from
/// the end.
struct RowGather {
  std::byte* target = nullptr;
  const std::byte* source = nullptr;
  /// Signed integers of `index_bytes`, 4 or 8.
  const std::byte* indices = nullptr;
  int index_bytes = 8;
  std::int64_t outer = 1;
  std::int64_t extent = 0;
  std::int64_t count = 0;
  std::int64_t row_bytes = 0;
};

/// In the host's memory. Throws std::out_of_range for an index beyond the rows.
void gather_on_host(const RowGather& rows);

}  // namespace benanza::harness
