// Values of packed weights: neighbouring blocks, or columns, differ in their scale.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "suites/verify/inputs.h"

namespace benanza::verify {
namespace {

struct Packed {
  const char* key;
  std::int64_t k;
  std::int64_t n;
  std::int64_t block;
  bool by_columns;
};

class PackedInputs : public testing::TestWithParam<Packed> {};

/// The last two have so many weights that all processors make them.
TEST_P(PackedInputs, EveryOtherBlockIsHalved) {
  const auto& [key, k, n, block, by_columns] = GetParam();
  const auto weights = inputs_for(parse(key), Precision::fp32, 7)[1];
  float halved = 0;
  float whole = 0;
  for (std::int64_t i = 0; i < std::ssize(weights); ++i) {
    const std::int64_t at = i % (k * n);
    const std::int64_t column = by_columns ? at / k : at % n;
    const std::int64_t position = by_columns ? at % k : at / n;
    float& largest = (column + position / block) % 2 == 1 ? halved : whole;
    largest = std::max(largest, std::abs(weights[static_cast<std::size_t>(i)]));
  }
  EXPECT_GT(whole, 0);
  EXPECT_EQ(halved, whole / 2);
}

INSTANTIATE_TEST_SUITE_P(
    All, PackedInputs,
    testing::Values(
        Packed{"gemm/m1_n33_k64_nt_w_packed.int4.b16", 64, 33, 16, true},
        Packed{"gemm/m1_n33_k60_nn_w_packed.int4.b16", 60, 33, 16, false},
        Packed{"gemm/m1_n33_k64_nt_w_packed.int8.c", 64, 33, 64, true},
        Packed{"grouped_gemm/g3_m1_n1030_k2048_nt_packed.fp8.b128", 2048, 1030, 128, true},
        Packed{"grouped_gemm/g3_m1_n1031_k2048_nn_packed.fp8.b128", 2048, 1031, 128, false}),
    [](const auto& tested) { return std::to_string(tested.index); });

}  // namespace
}  // namespace benanza::verify
