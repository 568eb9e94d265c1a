#include "suites/cublas/ops/movement/movement.h"

#include <gmock/gmock.h>

#include "suites/harness/primitive.h"
#include "suites/tests/cublas/copied_elements.h"

namespace benanza::cublas {
namespace {

/// Multiplies as BLAS would; the data are their places.
std::vector<double> repeat_product_multiplied(const RepeatProduct& product) {
  const auto& [side, m, n, k, batches, stride_data, ones] = product;
  std::vector<double> result;
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    for (std::int64_t row = 0; row < m; ++row) {
      for (std::int64_t column = 0; column < n; ++column) {
        double sum = 0;
        for (std::int64_t i = 0; i < k; ++i) {
          const bool columns = side == Repeats::columns;
          const std::int64_t place = columns ? row * k + i : i * n + column;
          const auto one = static_cast<std::size_t>(columns ? i * n + column : row * k + i);
          sum +=
              static_cast<double>(batch * stride_data + place) * static_cast<double>(ones.at(one));
        }
        result.push_back(sum);
      }
    }
  }
  return result;
}

void expect_copied(const Copy& copy, Repeats side) {
  const std::vector<double> result = repeat_product_multiplied(repeat_product(copy, side));
  ASSERT_EQ(result.size(), static_cast<std::size_t>(element_count(copy.dims)));
  for (const auto& [from, to] : copied_elements(copy)) {
    EXPECT_EQ(result.at(static_cast<std::size_t>(to)), static_cast<double>(from)) << to;
  }
}

TEST(RepeatProduct, RepeatsColumns) {
  expect_copied({{5, 3}, {1, 0}, {3, 1}}, Repeats::columns);                     // a vector
  expect_copied({{6, 2, 4, 2}, {4, 0, 1, 0}, {16, 8, 2, 1}}, Repeats::columns);  // pixels
  expect_copied({{2, 5, 3}, {0, 1, 0}, {15, 3, 1}}, Repeats::columns);           // twice
  expect_copied({{2, 3, 4, 5}, {4, 0, 1, 0}, {60, 20, 5, 1}}, Repeats::columns);
}

TEST(RepeatProduct, RepeatsRows) {
  expect_copied({{3, 16}, {0, 1}, {16, 1}}, Repeats::rows);
  expect_copied({{2, 4, 16}, {16, 0, 1}, {64, 16, 1}}, Repeats::rows);  // heads
  expect_copied({{2, 3, 2, 8}, {0, 8, 0, 1}, {48, 16, 8, 1}}, Repeats::rows);
}

TEST(RepeatProduct, MultipliesFewElements) {
  // A row of 32 pixels becomes two of 64.
  const RepeatProduct pixels =
      repeat_product({{16384, 2, 32, 2}, {32, 0, 1, 0}, {128, 64, 2, 1}}, Repeats::columns);
  EXPECT_EQ(pixels.m, 16384);
  EXPECT_EQ(pixels.k, 32);
  EXPECT_EQ(pixels.n, 128);
  const RepeatProduct heads =
      repeat_product({{8, 4, 8192}, {8192, 0, 1}, {32768, 8192, 1}}, Repeats::rows);
  EXPECT_EQ(heads.batches, 8);
  EXPECT_EQ(heads.k, 1);
}

TEST(RepeatProduct, RefusesWhatItCannotDo) {
  const auto refused = [](const Copy& copy, Repeats side) {
    EXPECT_THROW(repeat_product(copy, side), harness::Unsupported);
  };
  refused({{5, 3}, {3, 1}, {3, 1}}, Repeats::columns);           // repeats nothing
  refused({{3, 16}, {0, 1}, {16, 1}}, Repeats::columns);         // rows alone
  refused({{5, 3}, {1, 0}, {3, 1}}, Repeats::rows);              // short rows
  refused({{5, 3}, {2, 0}, {3, 1}}, Repeats::columns);           // gaps in the source
  refused({{5, 3}, {1, 0}, {4, 1}}, Repeats::columns);           // and in the result
  refused({{2, 3, 2}, {1, 2, 0}, {6, 2, 1}}, Repeats::columns);  // transposed
  refused({{2, 2, 4096, 2}, {4096, 0, 1, 0}, {16384, 8192, 2, 1}}, Repeats::columns);
}

}  // namespace
}  // namespace benanza::cublas
