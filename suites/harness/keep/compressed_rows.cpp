#include "suites/harness/keep/compressed_rows.h"

#include <limits>
#include <stdexcept>

namespace benanza::harness {

CompressedRows compressed_rows(std::span<const float> dense, std::int64_t rows,
                               std::int64_t columns) {
  if (static_cast<std::int64_t>(dense.size()) != rows * columns) {
    throw std::invalid_argument("a matrix of another size than its rows and columns");
  }
  CompressedRows matrix;
  matrix.begins.push_back(0);
  std::size_t at = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column, ++at) {
      if (dense[at] == 0) continue;
      matrix.columns.push_back(static_cast<std::int32_t>(column));
      matrix.values.push_back(dense[at]);
    }
    if (matrix.values.size() > std::numeric_limits<std::int32_t>::max()) {
      throw std::invalid_argument("more elements that are not 0 than 32 bits count");
    }
    matrix.begins.push_back(static_cast<std::int32_t>(matrix.values.size()));
  }
  return matrix;
}

}  // namespace benanza::harness
