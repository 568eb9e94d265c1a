// Products of groups of rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/problem/problem.h"

namespace benanza {
namespace {

using testing::ElementsAre;

constexpr const char* uneven = "grouped_gemm/g2x1x3_m4x0x1_n6_k5_nt";

// 2 * 4 + 3 * 1 rows; six matrices of 6 x 5, one of which nobody multiplies with.
TEST(GroupedGemm, CountsTheRowsAndTheMatricesOfGroupsWithRows) {
  const Problem problem = parse(uneven);
  const auto& shape = std::get<GroupedGemm>(problem.shape);
  EXPECT_EQ(shape.rows(), 11);
  EXPECT_EQ(shape.group_count(), 6);
  EXPECT_THAT(shape.rows_of_groups(), ElementsAre(4, 4, 0, 1, 1, 1));
  EXPECT_EQ(inputs(problem)[0].dims, (Dims{11, 5}));
  EXPECT_EQ(inputs(problem)[1].dims, (Dims{6, 6, 5}));
  EXPECT_EQ(inputs(problem)[1].role, Role::weights);
  EXPECT_EQ(output(problem), (Dims{11, 6}));
  const Work counted = work(problem, Precision::fp16);
  EXPECT_EQ(counted.flops, 2 * 11 * 6 * 5);
  EXPECT_EQ(counted.bytes_read, 2 * (11 * 5 + 5 * 6 * 5));
  EXPECT_EQ(counted.bytes_written, 2 * 11 * 6);
  EXPECT_EQ(product_flops(problem), counted.flops);
  EXPECT_EQ(reduction_length(problem), 5);
}

// Of the five matrices of groups with rows 5 * 6 * 5 / 2 bytes, and of each of their 30 columns two
// scales, of 2 bytes, and two zero points, of half a byte.
TEST(GroupedGemm, ReadsPackedMatricesOfGroupsWithRows) {
  const Problem problem = parse(std::string(uneven) + "_packed.uint4.b4.z");
  EXPECT_EQ(key(problem), std::string(uneven) + "_packed.uint4.b4.z");
  const Work counted = work(problem, Precision::fp16);
  EXPECT_EQ(counted.flops, 2 * 11 * 6 * 5);
  EXPECT_EQ(counted.bytes_read, 2 * 11 * 5 + 75 + 2 * 60 + 30);
  EXPECT_EQ(packed_bytes(problem, 2), 90 + 2 * 72 + 36) << "of all six";
  // 8 bits and a scale for each column.
  EXPECT_EQ(work(parse(std::string(uneven) + "_packed.int8.c"), Precision::fp32).bytes_read,
            4 * 11 * 5 + 150 + 4 * 30);
}

TEST(GroupedGemm, OtherKeysAreRefused) {
  for (const char* key :
       {"grouped_gemm/g2_m0_n6_k5_nt", "grouped_gemm/g2x1_m4_n6_k5_nt",
        "grouped_gemm/g2x1_m4x4_n6_k5_nt", "grouped_gemm/g0_m4_n6_k5_nt",
        "grouped_gemm/g2_m4_n0_k5_nt", "grouped_gemm/g2_m4_n6_k5_tt",
        "grouped_gemm/g2_m4_n6_k5_nt_packed.int5.b8", "grouped_gemm/g2_m4_n6_k5_nt_bias"}) {
    EXPECT_THROW(parse(key), std::invalid_argument) << key;
  }
  // As many runs as experts.
  GroupedGemm shape{.groups = {}, .m = {}, .n = 6, .k = 5};
  for (std::int64_t rows = 256; rows > 0; --rows) {
    shape.groups.push_back(1);
    shape.m.push_back(rows);
  }
  const Problem many{.shape = shape, .epilogue = {}};
  EXPECT_EQ(parse(key(many)), many);
  EXPECT_THROW(parse("grouped_gemm/g200000000_m2_n200000_k200000_nt"), TooLarge);
}

}  // namespace
}  // namespace benanza
