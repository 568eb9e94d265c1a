#include "suites/harness/row_gather.h"

#include <cstring>
#include <stdexcept>
#include <string>

namespace benanza::harness {
namespace {

std::int64_t index_at(const RowGather& rows, std::int64_t place) {
  const std::byte* const from = rows.indices + place * rows.index_bytes;
  std::int64_t index = 0;
  if (rows.index_bytes == 8) {
    std::memcpy(&index, from, sizeof(index));
  } else {
    std::int32_t narrow = 0;
    std::memcpy(&narrow, from, sizeof(narrow));
    index = narrow;
  }
  const std::int64_t row = index < 0 ? index + rows.extent : index;
  if (row < 0 || row >= rows.extent) {
    throw std::out_of_range("index " + std::to_string(index) + " of " +
                            std::to_string(rows.extent) + " rows");
  }
  return row;
}

}  // namespace

void gather_on_host(const RowGather& rows) {
  const auto bytes = static_cast<std::size_t>(rows.row_bytes);
  std::byte* target = rows.target;
  for (std::int64_t block = 0; block < rows.outer; ++block) {
    const std::byte* const source = rows.source + block * rows.extent * rows.row_bytes;
    for (std::int64_t place = 0; place < rows.count; ++place, target += bytes) {
      std::memcpy(target, source + index_at(rows, place) * rows.row_bytes, bytes);
    }
  }
}

}  // namespace benanza::harness
