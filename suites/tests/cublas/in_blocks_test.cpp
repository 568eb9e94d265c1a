#include "suites/cublas/ops/grouped_gemm/grouped_gemm.h"

#include <gtest/gtest.h>

#include <variant>
#include <vector>

#include "core/problem/problem.h"

namespace benanza::cublas {
namespace {

using Ends = std::vector<std::size_t>;

std::vector<std::size_t> ends(const std::vector<std::int64_t>& rows, std::size_t streams) {
  return ends_of_streams(rows, streams);
}

TEST(InBlocks, StreamsGetGroupsThatFollowEachOther) {
  EXPECT_EQ(ends({5, 5, 5, 5}, 2), (Ends{2, 4}));
  EXPECT_EQ(ends({5, 5, 5, 5, 5}, 2), (Ends{3, 5}));
  EXPECT_EQ(ends({5, 5, 5}, 1), Ends{3});
  EXPECT_EQ(ends({5, 5}, 4), (Ends{1, 2}));
  EXPECT_EQ(ends({}, 4), Ends{});
}

// 300 rows are 3 tiles of 128, the others 1.
TEST(InBlocks, GroupsOfManyRowsCountTheirTiles) {
  EXPECT_EQ(ends({300, 1, 1, 1}, 2), (Ends{1, 4}));
  EXPECT_EQ(ends({1, 1, 1, 300}, 2), (Ends{3, 4}));
  // The first has more than a stream's share.
  EXPECT_EQ(ends({1280, 1, 1, 1}, 4), (Ends{1, 2, 3, 4}));
}

TEST(InBlocks, RowsAreAMultipleOf4) {
  EXPECT_EQ(rows_in_fours(1), 4);
  EXPECT_EQ(rows_in_fours(4), 4);
  EXPECT_EQ(rows_in_fours(5), 8);
  // Three rows of 256 bytes of data, or of 100 results of two bytes.
  EXPECT_EQ(spare_bytes_of(std::get<Gemm>(parse("gemm/m1_n100_k256_nt").shape)), 768);
  EXPECT_EQ(spare_bytes_of(std::get<Gemm>(parse("gemm/m1_n200_k256_nt").shape)), 1200);
}

}  // namespace
}  // namespace benanza::cublas
